/** Which elements a rank gives to an operation, and which it must get. */

import { type BenchOp, factsOf } from "./ops.js";

/** Elements of a result that follow each other in somebody's wave. */
export interface Stretch {
  readonly count: number;
  /** Rank whose elements they are; "all" where they are combined. */
  readonly from: number | "all";
  /** Index of the first in the wave. */
  readonly first: number;
}

/** A rank's buffers, in elements. */
export interface Shape {
  /** Undefined where the rank gives nothing. */
  readonly send: number | undefined;
  /** Undefined where the rank gets nothing. */
  readonly recv: number | undefined;
  /** Where the smaller buffer begins in the larger if they are one. */
  readonly inPlaceAt: number;
  /** What `recv` holds afterwards. */
  readonly expected: readonly Stretch[];
  /** Elements of each rank's block of the vector. */
  readonly counts: readonly number[];
}

/** A rank of a group. */
export interface Place {
  readonly rank: number;
  readonly ranks: number;
}

/** The rank that gives or gets in operations that have one. */
const ROOT = 0;

/**
 * Elements of each rank's block. Where they vary, they are as 1 : 2 : … : ranks, so that no two
 * ranks have as many.
 */
export function blockCounts(op: BenchOp, count: number, ranks: number): number[] {
  if (factsOf(op).division !== "varying") return new Array<number>(ranks).fill(count / ranks);
  const begin = (rank: number): number =>
    Math.floor((count * rank * (rank + 1)) / (ranks * (ranks + 1)));
  return Array.from({ length: ranks }, (_, rank) => begin(rank + 1) - begin(rank));
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Blocks extends Place {
  readonly count: number;
  readonly counts: readonly number[];
  /** Count and begin of this rank's block. */
  readonly own: number;
  readonly begin: number;
}

type Rooted = Pick<Shape, "send" | "recv" | "expected">;

function shapeOf(op: BenchOp, blocks: Blocks): Rooted {
  const { rank, ranks, count, counts, own, begin } = blocks;
  const isRoot = rank === ROOT;
  const fromEach = counts.map((each, from): Stretch => ({ count: each, from, first: 0 }));
  switch (op) {
    case "barrier":
      return { send: undefined, recv: undefined, expected: [] };
    case "allreduce":
    case "reduce": {
      const gets = op === "allreduce" || isRoot;
      const expected = gets ? [{ count, from: "all" as const, first: 0 }] : [];
      return { send: count, recv: gets ? count : undefined, expected };
    }
    case "reduceScatter":
    case "reduceScatterv":
      return { send: count, recv: own, expected: [{ count: own, from: "all", first: begin }] };
    case "broadcast":
      return { send: count, recv: count, expected: [{ count, from: ROOT, first: 0 }] };
    case "allgather":
    case "allgatherv":
      return { send: own, recv: count, expected: fromEach };
    case "gather":
    case "gatherv":
      return { send: own, recv: isRoot ? count : undefined, expected: isRoot ? fromEach : [] };
    case "scatter":
    case "scatterv": {
      const expected = [{ count: own, from: ROOT, first: begin }];
      return { send: isRoot ? count : undefined, recv: own, expected };
    }
    case "alltoall":
    case "alltoallv": {
      const expected = counts.map((_, from) => ({ count: own, from, first: begin }));
      return { send: count, recv: own * ranks, expected };
    }
    case "sendrecv": {
      const previous = (rank + ranks - 1) % ranks;
      return { send: count, recv: count, expected: [{ count, from: previous, first: 0 }] };
    }
  }
}

/**
 * A rank's part of an operation.
 *
 * @param count elements of the vector that `bytes` counts, see points.ts
 */
export function shapeFor(op: BenchOp, count: number, { rank, ranks }: Place): Shape {
  const counts = blockCounts(op, count, ranks);
  const own = counts[rank]!;
  const begin = sumOf(counts.slice(0, rank));
  const shape = shapeOf(op, { rank, ranks, count, counts, own, begin });
  return { ...shape, inPlaceAt: shape.send === shape.recv ? 0 : begin, counts };
}

/** Buffers begin on a cache line of their own, as those of the segment's allocator. */
const LINE_BYTES = 64;

/** Where what follows this many bytes begins. */
export function alignedBytes(byteLength: number): number {
  return Math.ceil(byteLength / LINE_BYTES) * LINE_BYTES;
}

/** Bytes that a rank's buffers take: both, or the larger if one is part of the other. */
export function bytesHeld({ send = 0, recv = 0 }: Shape, width: number, inPlace: boolean): number {
  if (inPlace) return alignedBytes(Math.max(send, recv) * width);
  return alignedBytes(send * width) + alignedBytes(recv * width);
}
