/** All algorithms by collective, and how a schedule is built by name. */

import { binomialBroadcast, binomialGather, binomialReduce, binomialScatter } from "./binomial.js";
import { adjacentBlocks, equalBlocks, listedBlocks } from "./blocks.js";
import { bruckAllgather, bruckAlltoall } from "./bruck.js";
import { chainBroadcast } from "./chain.js";
import { checkShape } from "./checkShape.js";
import * as costs from "./costs.js";
import { disseminationBarrier } from "./dissemination.js";
import { doubleTreeAllreduce, doubleTreeBroadcast, doubleTreeReduce } from "./doubleTree.js";
import { doublingAllgather, doublingAllreduce } from "./doubling.js";
import { linearAlltoall, pairwiseAlltoall, pairwiseReduceScatter } from "./exchange.js";
import { halvingDoublingAllreduce } from "./halvingDoubling.js";
import { halvingReduceScatter, halvingReduceScatterInOrder } from "./halvingReduceScatter.js";
import { linearGather, linearGatherv, linearScatter, linearScatterv } from "./linear.js";
import { ringAllgather, ringAllreduce, ringReduceScatter } from "./ring.js";
import { scatterAllgatherBroadcast } from "./scatterAllgather.js";
import type { AlltoallvShape, CountShape, ShapeOf, TransportKind } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

/** One way to do a collective. */
export interface Algorithm<Shape> {
  /** Unique in its collective; part of what users write. */
  readonly name: string;
  /** From 1, unique in its collective, never used again for another: ranks compare it. */
  readonly code: number;
  /**
   * Whether contributions are combined in the order of the ranks, as an operator that does not
   * commute needs it. True where nothing is combined.
   */
  readonly keepsOrder: boolean;
  /** What it costs; variable collectives with the same count everywhere. */
  readonly cost: costs.CostFormula;
  /** A rank's schedule. The shape is not checked. */
  build(shape: Shape): TransportSchedule;
}

/** Algorithms by collective. */
export type AlgorithmTable = {
  readonly [K in TransportKind]: readonly Algorithm<ShapeOf[K]>[];
};

const place = ({ sendCounts, sendOffsets, recvCounts, recvOffsets }: AlltoallvShape) => ({
  send: listedBlocks(sendCounts, sendOffsets),
  recv: listedBlocks(recvCounts, recvOffsets),
});

const perPair = ({ count }: CountShape) => ({ send: equalBlocks(count), recv: equalBlocks(count) });

/** An entry of an algorithm that combines nothing, or combines in the order of the ranks. */
function inOrder<Shape>(
  [name, code]: readonly [string, number],
  cost: costs.CostFormula,
  build: (shape: Shape) => TransportSchedule,
): Algorithm<Shape> {
  return { name, code, keepsOrder: true, cost, build };
}

/** An entry of an algorithm that combines ranks as they come. */
function anyOrder<Shape>(
  [name, code]: readonly [string, number],
  cost: costs.CostFormula,
  build: (shape: Shape) => TransportSchedule,
): Algorithm<Shape> {
  return { name, code, keepsOrder: false, cost, build };
}

/**
 * All algorithms. Code 0 is that of "direct", which has no messages and is not here. Names and
 * codes are the same where the variable form of a collective has the same algorithm.
 */
export const ALGORITHMS: AlgorithmTable = {
  barrier: [inOrder(["dissemination", 1], costs.dissemination, disseminationBarrier)],
  broadcast: [
    inOrder(["binomial", 1], costs.logBroadcast, binomialBroadcast),
    inOrder(["doubleTree", 2], costs.doubleTreeBroadcast, doubleTreeBroadcast),
    inOrder(["chain", 3], costs.toRoot, chainBroadcast),
    inOrder(["scatterAllgather", 4], costs.scatterAllgather, scatterAllgatherBroadcast),
  ],
  reduce: [
    inOrder(["binomial", 1], costs.logReduce, binomialReduce),
    anyOrder(["doubleTree", 2], costs.doubleTreeReduce, doubleTreeReduce),
  ],
  allreduce: [
    anyOrder(["ring", 1], costs.ringAllreduce, ringAllreduce),
    inOrder(["recursiveDoubling", 2], costs.doublingAllreduce, doublingAllreduce),
    inOrder(["halvingDoubling", 3], costs.halvingDoubling, halvingDoublingAllreduce),
    inOrder(["doubleTree", 4], costs.doubleTreeAllreduce, doubleTreeAllreduce),
  ],
  reduceScatter: [
    anyOrder(["ring", 1], costs.everyPeer, (shape) =>
      ringReduceScatter(shape, equalBlocks(shape.count)),
    ),
    anyOrder(["recursiveHalving", 2], costs.halvingReduceScatter, (shape) =>
      halvingReduceScatter(shape, equalBlocks(shape.count)),
    ),
    anyOrder(["pairwise", 3], costs.everyPeer, (shape) =>
      pairwiseReduceScatter(shape, equalBlocks(shape.count)),
    ),
    inOrder(["halvingInOrder", 4], costs.halvingInOrder, (shape) =>
      halvingReduceScatterInOrder(shape, equalBlocks(shape.count)),
    ),
  ],
  reduceScatterv: [
    anyOrder(["ring", 1], costs.everyPeer, (shape) =>
      ringReduceScatter(shape, adjacentBlocks(shape.counts)),
    ),
    anyOrder(["recursiveHalving", 2], costs.halvingReduceScatter, (shape) =>
      halvingReduceScatter(shape, adjacentBlocks(shape.counts)),
    ),
    anyOrder(["pairwise", 3], costs.everyPeer, (shape) =>
      pairwiseReduceScatter(shape, adjacentBlocks(shape.counts)),
    ),
    inOrder(["halvingInOrder", 4], costs.halvingInOrder, (shape) =>
      halvingReduceScatterInOrder(shape, adjacentBlocks(shape.counts)),
    ),
  ],
  allgather: [
    inOrder(["ring", 1], costs.everyPeer, (shape) =>
      ringAllgather(shape, equalBlocks(shape.count)),
    ),
    inOrder(["recursiveDoubling", 2], costs.doublingAllgather, (shape) =>
      doublingAllgather(shape, equalBlocks(shape.count)),
    ),
    inOrder(["bruck", 3], costs.logBlocks, (shape) =>
      bruckAllgather(shape, equalBlocks(shape.count)),
    ),
  ],
  allgatherv: [
    inOrder(["ring", 1], costs.everyPeer, (shape) =>
      ringAllgather(shape, listedBlocks(shape.counts, shape.offsets)),
    ),
    inOrder(["recursiveDoubling", 2], costs.doublingAllgather, (shape) =>
      doublingAllgather(shape, listedBlocks(shape.counts, shape.offsets)),
    ),
    inOrder(["bruck", 3], costs.logBlocks, (shape) =>
      bruckAllgather(shape, listedBlocks(shape.counts, shape.offsets)),
    ),
  ],
  gather: [
    inOrder(["binomial", 1], costs.logGather, binomialGather),
    inOrder(["linear", 2], costs.toRoot, linearGather),
  ],
  gatherv: [inOrder(["linear", 2], costs.toRoot, linearGatherv)],
  scatter: [
    inOrder(["binomial", 1], costs.logBlocks, binomialScatter),
    inOrder(["linear", 2], costs.everyPeer, linearScatter),
  ],
  scatterv: [inOrder(["linear", 2], costs.everyPeer, linearScatterv)],
  alltoall: [
    inOrder(["pairwise", 1], costs.everyPeer, (shape) => pairwiseAlltoall(shape, perPair(shape))),
    inOrder(["bruck", 2], costs.bruckAlltoall, bruckAlltoall),
    inOrder(["linear", 3], costs.everyPeer, (shape) => linearAlltoall(shape, perPair(shape))),
  ],
  alltoallv: [
    inOrder(["pairwise", 1], costs.everyPeer, (shape) => pairwiseAlltoall(shape, place(shape))),
    inOrder(["linear", 3], costs.everyPeer, (shape) => linearAlltoall(shape, place(shape))),
  ],
};

/** All collectives that have schedules of messages. */
export const TRANSPORT_KINDS: readonly TransportKind[] = Object.keys(ALGORITHMS) as TransportKind[];

/**
 * An algorithm by its name.
 *
 * @throws {RangeError} if the collective has none of that name
 */
export function findAlgorithm<K extends TransportKind>(
  kind: K,
  name: string,
): Algorithm<ShapeOf[K]> {
  const algorithms: readonly Algorithm<ShapeOf[K]>[] = ALGORITHMS[kind];
  const found = algorithms.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = algorithms.map((one) => `"${one.name}"`).join(", ");
  throw new RangeError(`Cannot find algorithm of ${kind}: expected one of ${names}, got "${name}"`);
}

/**
 * The schedule of one rank.
 *
 * @param name one of ALGORITHMS[kind]
 * @throws {RangeError} if there is no such algorithm, or the shape is impossible
 */
export function buildSchedule<K extends TransportKind>(
  kind: K,
  name: string,
  shape: ShapeOf[K],
): TransportSchedule {
  const algorithm = findAlgorithm(kind, name);
  checkShape(kind, shape);
  return algorithm.build(shape);
}
