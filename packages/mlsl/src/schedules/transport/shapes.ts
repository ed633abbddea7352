/**
 * What the schedules depend on, by collective. All counts and offsets are in elements. Unless it
 * says otherwise, every rank of the group gives the same values but `rank`.
 */

/** A place in a group. */
export interface RankShape {
  /** 0 … ranks−1. */
  readonly rank: number;
  /** 1 … 1024. */
  readonly ranks: number;
}

/** Allreduce: of the vector. Allgather: of "send". ReduceScatter: of "recv". Alltoall: per pair. */
export interface CountShape extends RankShape {
  readonly count: number;
}

/**
 * Broadcast and reduce: count of the vector. Gather: of "send". Scatter: of "recv".
 *
 * Broadcast uses "recv" on every rank, where the root's data already lies. "recv" of reduce and
 * gather and "send" of scatter exist at the root only.
 */
export interface RootedShape extends CountShape {
  readonly root: number;
}

/** Where the ranks' blocks lie in "recv", in the order of the ranks; they do not overlap. */
export interface AllgathervShape extends RankShape {
  readonly counts: readonly number[];
  readonly offsets: readonly number[];
}

/** The ranks' blocks, which lie one after the other in "send". */
export interface ReduceScattervShape extends RankShape {
  readonly counts: readonly number[];
}

/** Gatherv and scatterv: `count` is the rank's own, which need not be the others'. */
export interface RootedBlocksShape extends RootedShape {
  /** Where the ranks' blocks lie in the root's large buffer. At the root only. */
  readonly blocks?: { readonly counts: readonly number[]; readonly offsets: readonly number[] };
}

/** Each rank knows what it sends to whom and receives from whom, and nothing of the others. */
export interface AlltoallvShape extends RankShape {
  readonly sendCounts: readonly number[];
  readonly sendOffsets: readonly number[];
  readonly recvCounts: readonly number[];
  readonly recvOffsets: readonly number[];
}

/** The shape that each collective takes. */
export interface ShapeOf {
  readonly barrier: RankShape;
  readonly broadcast: RootedShape;
  readonly reduce: RootedShape;
  readonly allreduce: CountShape;
  readonly reduceScatter: CountShape;
  readonly reduceScatterv: ReduceScattervShape;
  readonly allgather: CountShape;
  readonly allgatherv: AllgathervShape;
  readonly gather: RootedShape;
  readonly gatherv: RootedBlocksShape;
  readonly scatter: RootedShape;
  readonly scatterv: RootedBlocksShape;
  readonly alltoall: CountShape;
  readonly alltoallv: AlltoallvShape;
}

/** A collective that has schedules of messages. */
export type TransportKind = keyof ShapeOf;
