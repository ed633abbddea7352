/**
 * Where gradients are in one flat buffer:
 *
 *     | weight | has batch | has gradient 0 … P−1 | padding | gradient 0 | … | gradient P−1 |
 *
 * A buffer that is too small for all of it is filled several times; the head is in the first piece.
 */

/** A parameter as far as its place is concerned. */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Places in the head: the weight, whether there is a batch, and the first of the flags. */
export const HEAD = { weight: 0, active: 1, firstFlag: 2 } as const;

/** Gradients start at a multiple of a cache line of 16 floats, where vector loads are fastest. */
const HEAD_ALIGNMENT = 16;

/**
 * Gradient elements that a piece must be able to hold, 16 KiB: with fewer, a step would consist of
 * operations rather than of data.
 */
const LEAST_PIECE_COUNT = 4096;

/** Elements that a set of parameters needs. */
export interface FlatLayout {
  readonly parameters: readonly Parameter[];
  readonly headCount: number;
  /** Elements of the head and of each parameter. */
  readonly counts: readonly number[];
  readonly totalCount: number;
  /** Elements below which a buffer is of no use. */
  readonly leastCount: number;
}

/** Counts the elements. */
export function layOut(parameters: readonly Parameter[]): FlatLayout {
  const flagged = HEAD.firstFlag + parameters.length;
  const headCount = Math.ceil(flagged / HEAD_ALIGNMENT) * HEAD_ALIGNMENT;
  const sizes = parameters.map(({ shape }) => shape.reduce((size, extent) => size * extent, 1));
  const counts = [headCount, ...sizes];
  const totalCount = counts.reduce((sum, count) => sum + count, 0);
  const leastCount = Math.min(totalCount, headCount + LEAST_PIECE_COUNT);
  return { parameters, headCount, counts, totalCount, leastCount };
}

/** Whether these are the parameters that were laid out. */
export function isLaidOut(parameters: readonly Parameter[], layout: FlatLayout): boolean {
  if (parameters.length !== layout.parameters.length) return false;
  return layout.parameters.every(({ name, shape }, i) => {
    const own = parameters[i] as Parameter;
    return (
      own.name === name &&
      own.shape.length === shape.length &&
      shape.every((extent, axis) => own.shape[axis] === extent)
    );
  });
}
