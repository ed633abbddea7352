/**
 * Schedules for ranks that see each other's memory: nothing is sent, everybody reads where the
 * data lies. A schedule is a pure function of the operation's shape and says in which order a rank
 * works on which chunk; the executor knows where the bytes are.
 *
 * A buffer outside the segment passes through two staging blocks of its rank, used in turns. While
 * chunk c is worked on, chunk c+1 is staged into the other block, so one meeting per chunk is
 * enough: when all have met, everybody has finished with chunk c and everybody's chunk c+1 lies
 * ready. A buffer inside the segment is one chunk and is never copied.
 *
 * The first chunk is staged before the ranks first meet to compare what they are about to do, so
 * that meeting serves as the first synchronisation.
 */

/** What one rank does next. */
export type Step =
  /** Makes the rank's own chunk visible to the others; nothing to do inside the segment. */
  | { readonly kind: "stage"; readonly chunk: number }
  /** Waits until every rank has come to this point. */
  | { readonly kind: "sync" }
  /** Combines the rank's share of the chunk of all ranks. */
  | { readonly kind: "reduce"; readonly chunk: number }
  /** Copies another rank's chunk, or the taker's part of it, to the rank's own result. */
  | { readonly kind: "fetch"; readonly chunk: number; readonly from: number }
  /** Copies the giver's part of the rank's own chunk to another rank's result. */
  | { readonly kind: "give"; readonly chunk: number; readonly to: number }
  /** Copies the rank's own result out of its staging block; nothing to do inside the segment. */
  | { readonly kind: "collect"; readonly chunk: number };

/**
 * How data moves between ranks that see each other's memory:
 *
 * - `reduceForAll`: every rank reduces a slice of the vector into everybody's result;
 * - `reduceForRoot`: the same, into the root's;
 * - `reduceOwn`: every rank reduces its own block into its own result;
 * - `fetchAll`: every rank copies blocks from all;
 * - `fetchFromRoot`, `fetchToRoot`: blocks go from, or to, one rank. So that it is not idle while the
 *   others copy, or the other way round, giver and taker share each copy, see {@link takersPart}.
 */
export type DirectPattern =
  | "reduceForAll"
  | "reduceForRoot"
  | "reduceOwn"
  | "fetchFromRoot"
  | "fetchToRoot"
  | "fetchAll";

/** Shape of an operation, as far as a schedule depends on it. */
export interface DirectShape {
  readonly rank: number;
  readonly ranks: number;
  readonly root: number;
  readonly chunks: number;
}

const SYNC: Step = { kind: "sync" };

/** All ranks but this one, beginning with its right neighbour to spread the load. */
function others({ rank, ranks }: DirectShape): number[] {
  return Array.from({ length: ranks - 1 }, (_, i) => (rank + 1 + i) % ranks);
}

/** Who a rank copies from. */
function sources(pattern: DirectPattern, shape: DirectShape): number[] {
  const { rank, root } = shape;
  if (pattern === "fetchFromRoot") return [root];
  return pattern === "fetchAll" || rank === root ? [...others(shape), rank] : [];
}

/** Whose results a rank helps to copy. */
function takers(pattern: DirectPattern, shape: DirectShape): number[] {
  const { rank, root } = shape;
  if (pattern === "fetchFromRoot" && rank === root) return others(shape);
  return pattern === "fetchToRoot" && rank !== root ? [root] : [];
}

/**
 * How much of a block its taker copies, where giver and taker share the work: so much that all ranks
 * copy the same number of bytes. (The one rank has a part in the blocks of all the others.)
 */
export function takersPart(pattern: DirectPattern, ranks: number): number {
  return pattern === "fetchFromRoot" ? (ranks - 1) / ranks : 1 / ranks;
}

/** What a rank does with a chunk that lies ready at every rank. */
function work(pattern: DirectPattern, shape: DirectShape, chunk: number): Step[] {
  if (pattern === "reduceForAll" || pattern === "reduceForRoot") return [{ kind: "reduce", chunk }];
  if (pattern === "reduceOwn")
    return [
      { kind: "reduce", chunk },
      { kind: "collect", chunk },
    ];
  return [
    ...takers(pattern, shape).map((to): Step => ({ kind: "give", chunk, to })),
    ...sources(pattern, shape).map((from): Step => ({ kind: "fetch", chunk, from })),
  ];
}

/** What is to be done when all ranks have worked on a chunk. */
function afterwards(pattern: DirectPattern, { rank, root }: DirectShape, chunk: number): Step[] {
  const collects = pattern === "reduceForAll" || (pattern === "reduceForRoot" && rank === root);
  return collects ? [{ kind: "collect", chunk }] : [];
}

/** The steps of a rank. */
export function directSchedule(pattern: DirectPattern, shape: DirectShape): Step[] {
  const steps: Step[] = [];
  for (let chunk = 0; chunk < shape.chunks; chunk++) {
    steps.push(...work(pattern, shape, chunk));
    if (chunk + 1 < shape.chunks) steps.push({ kind: "stage", chunk: chunk + 1 });
    steps.push(SYNC, ...afterwards(pattern, shape, chunk));
  }
  return steps;
}
