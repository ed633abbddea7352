/**
 * Where gradients are in one flat buffer:
 *
 *     | weight | active ranks | has gradient 0 … P−1 | padding | gradient 0 | … | gradient P−1 |
 *
 * A buffer that is too small for all of it is filled several times; what it holds each time is a
 * piece. The head is always in the first one.
 */

/** A parameter as far as its place is concerned. */
export interface Parameter {
  readonly name: string;
  readonly shape: readonly number[];
}

/** Places in the head: the sum of the batch sizes, the ranks that have one, and the flags. */
export const HEAD = { weight: 0, activeRanks: 1, firstFlag: 2 } as const;

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
  /** Elements of each parameter. */
  readonly counts: readonly number[];
  readonly headCount: number;
  readonly totalCount: number;
  /** Elements below which a buffer is of no use. */
  readonly leastCount: number;
}

/** The part of a gradient that is in a piece. */
export interface Part {
  /** Index of the parameter. */
  readonly index: number;
  /** First element of the gradient that is in it. */
  readonly from: number;
  readonly values: Float32Array;
}

/** What a buffer holds at a time. */
export interface Piece {
  /** All of it, to be summed. */
  readonly values: Float32Array;
  readonly parts: readonly Part[];
}

/** Counts the elements. */
export function layOut(parameters: readonly Parameter[]): FlatLayout {
  const counts = parameters.map(({ shape }) => shape.reduce((count, extent) => count * extent, 1));
  const flagged = HEAD.firstFlag + parameters.length;
  const headCount = Math.ceil(flagged / HEAD_ALIGNMENT) * HEAD_ALIGNMENT;
  const totalCount = counts.reduce((sum, count) => sum + count, headCount);
  const leastCount = Math.min(totalCount, headCount + LEAST_PIECE_COUNT);
  return { parameters, counts, headCount, totalCount, leastCount };
}

/** Whether these are the parameters that were laid out. */
export function isLaidOut(parameters: readonly Parameter[], layout: FlatLayout): boolean {
  return (
    parameters.length === layout.parameters.length &&
    layout.parameters.every(({ name, shape }, i) => {
      const own = parameters[i] as Parameter;
      return (
        own.name === name &&
        own.shape.length === shape.length &&
        shape.every((extent, axis) => own.shape[axis] === extent)
      );
    })
  );
}

/**
 * The pieces, one after the other, as views of a buffer.
 *
 * @throws {RangeError} If the buffer has less than `leastCount` elements.
 */
export function cutIntoPieces(layout: FlatLayout, buffer: Float32Array): Piece[] {
  if (!(buffer.length >= layout.leastCount)) {
    throw new RangeError(
      `Cannot lay out gradients: expected a buffer of at least ${layout.leastCount} elements, ` +
        `got ${buffer.length}`,
    );
  }
  const pieces: Piece[] = [];
  for (let start = 0; start < layout.totalCount; start += buffer.length) {
    const end = Math.min(start + buffer.length, layout.totalCount);
    const parts: Part[] = [];
    let offset = layout.headCount;
    for (const [index, count] of layout.counts.entries()) {
      const from = Math.max(start, offset);
      const to = Math.min(end, offset + count);
      if (from < to) {
        const values = buffer.subarray(from - start, to - start);
        parts.push({ index, from: from - offset, values });
      }
      offset += count;
    }
    pieces.push({ values: buffer.subarray(0, end - start), parts });
  }
  return pieces;
}
