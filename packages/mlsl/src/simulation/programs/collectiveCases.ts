/** What each collective is given and must yield, element by element. */

import { prefixSums } from "../../schedules/transport/blocks.js";
import type { ShapeOf, TransportKind } from "../../schedules/transport/shapes.js";

/** One of the caller's buffers that lies inside the other. */
export interface InPlace {
  readonly outer: "send" | "recv";
  /** Where the inner one begins. */
  readonly offset: number;
}

/** A collective, how many ranks take part, and how much. */
export interface CaseSize {
  readonly ranks: number;
  readonly root: number;
  readonly count: number;
  /**
   * Counts of the variable collectives: from a rank to a rank, or of a rank. Default: by `count`.
   */
  readonly countOf?: (from: number, to: number) => number;
}

/** What must lie in an element of "recv" at the end. */
export type Expected =
  | { readonly kind: "untouched" }
  /** Element `index` of the input of `rank`. */
  | { readonly kind: "input"; readonly rank: number; readonly index: number }
  /** Element `index` of all inputs, combined. */
  | { readonly kind: "reduction"; readonly index: number };

/** A rank's part in a case. */
export interface CaseRank<K extends TransportKind> {
  readonly shape: ShapeOf[K];
  readonly sendCount: number;
  readonly recvCount: number;
  /** How the buffers lie when the caller works in place; undefined if that is not offered. */
  readonly inPlace?: InPlace | undefined;
  expected(index: number): Expected;
}

/** The part of a rank. */
type CaseOf<K extends TransportKind> = (rank: number, size: CaseSize) => CaseRank<K>;

const UNTOUCHED: Expected = { kind: "untouched" };
const untouched = (): Expected => UNTOUCHED;
const reduction = (index: number): Expected => ({ kind: "reduction", index });

/** Different counts, zero among them, that add up to about n·count. */
function variedCount(count: number, from: number, to: number): number {
  return count === 0 ? 0 : (3 * from + 5 * to + count) % (2 * count + 1);
}

function countsOf({ ranks, count, countOf }: CaseSize, pair: (i: number) => [number, number]) {
  const of = countOf ?? ((from: number, to: number) => variedCount(count, from, to));
  return Array.from({ length: ranks }, (_, i) => of(...pair(i)));
}

/** Blocks in the opposite order and a gap after each: nothing may be taken for granted. */
function spread(counts: readonly number[]): { offsets: number[]; total: number } {
  const offsets = new Array<number>(counts.length).fill(0);
  let total = 0;
  for (let i = counts.length - 1; i >= 0; i--) {
    offsets[i] = total;
    total += counts[i]! + 1;
  }
  return { offsets, total };
}

/** Offsets of most layouts are needed by every rank of a case: computed once. */
function remembered<T>(make: (size: CaseSize) => T): (size: CaseSize) => T {
  const known = new WeakMap<CaseSize, T>();
  return (size) => {
    const found = known.get(size) ?? make(size);
    known.set(size, found);
    return found;
  };
}

const touching = remembered((size) => {
  const counts = countsOf(size, (i) => [i, i]);
  const offsets = prefixSums(counts);
  return { counts, offsets, total: offsets.at(-1)! };
});

const spreadBlocks = remembered((size) => {
  const counts = countsOf(size, (i) => [i, i]);
  return { counts, ...spread(counts) };
});

/** For every element of a layout the block that it is in and its place there. */
function ownersOf({ counts, offsets, total }: ReturnType<typeof spreadBlocks>): Int32Array {
  const owners = new Int32Array(2 * total).fill(-1);
  counts.forEach((count, rank) => {
    for (let i = 0; i < count; i++) {
      owners[2 * (offsets[rank]! + i)] = rank;
      owners[2 * (offsets[rank]! + i) + 1] = i;
    }
  });
  return owners;
}

const spreadOwners = remembered((size) => ownersOf(spreadBlocks(size)));

function gathered(owners: Int32Array, shift: (rank: number) => number = () => 0) {
  return (index: number): Expected => {
    const rank = owners[2 * index]!;
    if (rank < 0) return UNTOUCHED;
    return { kind: "input", rank, index: owners[2 * index + 1]! + shift(rank) };
  };
}

function blockwise(count: number, shift: number) {
  return (index: number): Expected => ({
    kind: "input",
    rank: Math.floor(index / count),
    index: (index % count) + shift,
  });
}

function inputOf(root: number, shift: number) {
  return (index: number): Expected => ({ kind: "input", rank: root, index: index + shift });
}

/** What every rank sends to every other. */
const exchanged = remembered((size) =>
  Array.from({ length: size.ranks }, (_, from) => {
    const counts = countsOf(size, (to) => [from, to]);
    return { counts, ...spread(counts) };
  }),
);

const alltoallvCase: CaseOf<"alltoallv"> = (rank, size) => {
  const { ranks } = size;
  const all = exchanged(size);
  const send = all[rank]!;
  const sendCounts = send.counts;
  const recvCounts = all.map(({ counts }) => counts[rank]!);
  const recv = spread(recvCounts);
  const shifts = all.map(({ offsets }) => offsets[rank]!);
  const owners = ownersOf({ counts: recvCounts, ...recv });
  return {
    shape: {
      rank,
      ranks,
      sendCounts,
      sendOffsets: send.offsets,
      recvCounts,
      recvOffsets: recv.offsets,
    },
    sendCount: send.total,
    recvCount: recv.total,
    expected: gathered(owners, (from) => shifts[from]!),
  };
};

/** By collective, the part of each rank. */
export const CASES: { readonly [K in TransportKind]: CaseOf<K> } = {
  barrier: (rank, { ranks }) => ({
    shape: { rank, ranks },
    sendCount: 0,
    recvCount: 0,
    expected: untouched,
  }),
  broadcast: (rank, { ranks, root, count }) => ({
    shape: { rank, ranks, root, count },
    sendCount: 0,
    recvCount: count,
    expected: inputOf(root, 0),
  }),
  reduce: (rank, { ranks, root, count }) => ({
    shape: { rank, ranks, root, count },
    sendCount: count,
    recvCount: rank === root ? count : 0,
    inPlace: rank === root ? { outer: "recv", offset: 0 } : undefined,
    expected: reduction,
  }),
  allreduce: (rank, { ranks, count }) => ({
    shape: { rank, ranks, count },
    sendCount: count,
    recvCount: count,
    inPlace: { outer: "recv", offset: 0 },
    expected: reduction,
  }),
  reduceScatter: (rank, { ranks, count }) => ({
    shape: { rank, ranks, count },
    sendCount: ranks * count,
    recvCount: count,
    inPlace: { outer: "send", offset: rank * count },
    expected: (index) => reduction(rank * count + index),
  }),
  reduceScatterv: (rank, size) => {
    const { counts, offsets, total } = touching(size);
    return {
      shape: { rank, ranks: size.ranks, counts },
      sendCount: total,
      recvCount: counts[rank]!,
      inPlace: { outer: "send", offset: offsets[rank]! },
      expected: (index) => reduction(offsets[rank]! + index),
    };
  },
  allgather: (rank, { ranks, count }) => ({
    shape: { rank, ranks, count },
    sendCount: count,
    recvCount: ranks * count,
    inPlace: { outer: "recv", offset: rank * count },
    expected: blockwise(count, 0),
  }),
  allgatherv: (rank, size) => {
    const { counts, offsets, total } = spreadBlocks(size);
    return {
      shape: { rank, ranks: size.ranks, counts, offsets },
      sendCount: counts[rank]!,
      recvCount: total,
      inPlace: { outer: "recv", offset: offsets[rank]! },
      expected: gathered(spreadOwners(size)),
    };
  },
  gather: (rank, { ranks, root, count }) => ({
    shape: { rank, ranks, root, count },
    sendCount: count,
    recvCount: rank === root ? ranks * count : 0,
    inPlace: rank === root ? { outer: "recv", offset: rank * count } : undefined,
    expected: blockwise(count, 0),
  }),
  gatherv: (rank, size) => {
    const { ranks, root } = size;
    const { counts, offsets, total } = spreadBlocks(size);
    const shape = { rank, ranks, root, count: counts[rank]! };
    const isRoot = rank === root;
    return {
      shape: isRoot ? { ...shape, blocks: { counts, offsets } } : shape,
      sendCount: counts[rank]!,
      recvCount: isRoot ? total : 0,
      inPlace: isRoot ? { outer: "recv", offset: offsets[rank]! } : undefined,
      expected: gathered(spreadOwners(size)),
    };
  },
  scatter: (rank, { ranks, root, count }) => ({
    shape: { rank, ranks, root, count },
    sendCount: rank === root ? ranks * count : 0,
    recvCount: count,
    inPlace: rank === root ? { outer: "send", offset: rank * count } : undefined,
    expected: inputOf(root, rank * count),
  }),
  scatterv: (rank, size) => {
    const { ranks, root } = size;
    const { counts, offsets, total } = spreadBlocks(size);
    const shape = { rank, ranks, root, count: counts[rank]! };
    const isRoot = rank === root;
    return {
      shape: isRoot ? { ...shape, blocks: { counts, offsets } } : shape,
      sendCount: isRoot ? total : 0,
      recvCount: counts[rank]!,
      inPlace: isRoot ? { outer: "send", offset: offsets[rank]! } : undefined,
      expected: inputOf(root, offsets[rank]!),
    };
  },
  alltoall: (rank, { ranks, count }) => ({
    shape: { rank, ranks, count },
    sendCount: ranks * count,
    recvCount: ranks * count,
    expected: blockwise(count, rank * count),
  }),
  alltoallv: alltoallvCase,
};
