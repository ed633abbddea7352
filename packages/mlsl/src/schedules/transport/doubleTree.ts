/**
 * Collectives along two trees (twoTrees.ts), each of which carries one half of the vector. With the
 * vector cut into chunks that follow each other, each rank sends and receives all the time: about
 * m bytes each way for a broadcast or reduction, 2·m for an all-reduce, in O(log n) rounds.
 *
 * A rank first sends what it sends as a leaf, then works as an inner node, then receives as a leaf:
 * nobody waits for a leaf's own work.
 *
 * Source: see twoTrees.ts.
 */

import { evenBlocks } from "./blocks.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape, RootedShape } from "./shapes.js";
import type { BufferName, Region, TransportSchedule } from "./steps.js";
import { type TreeNode, twoTrees } from "./twoTrees.js";

/** One half of the vector and the node that the rank is in the tree that carries it. */
interface Half {
  readonly node: TreeNode;
  readonly offset: number;
  readonly count: number;
}

/** The two halves: those in which the rank has children, and those in which it is a leaf. */
interface Halves {
  readonly inner: readonly Half[];
  readonly leaf: readonly Half[];
}

/** @param root is at the top; the others follow to its right */
function halvesOf({ rank, ranks, root, count }: RootedShape): Halves {
  const rankOf = (node: number | undefined) =>
    node === undefined ? undefined : (node + root) % ranks;
  const blocks = evenBlocks(count, 2);
  const halves = twoTrees((rank - root + ranks) % ranks, ranks).map((node, index) => ({
    node: { parent: rankOf(node.parent), lower: rankOf(node.lower), upper: rankOf(node.upper) },
    offset: blocks.offset(index),
    count: blocks.count(index),
  }));
  const isLeaf = ({ node }: Half) =>
    node.parent !== undefined && node.lower === undefined && node.upper === undefined;
  return { inner: halves.filter((half) => !isLeaf(half)), leaf: halves.filter(isLeaf) };
}

function halfOf(buffer: BufferName, { offset, count }: Half): Region {
  return region(buffer, offset, count);
}

/** A leaf's contribution goes up. */
function addLeafUp(builder: ScheduleBuilder, half: Half): void {
  builder.send(half.node.parent!, halfOf("send", half));
}

/** An inner node combines its children's contributions with its own and passes them up. */
function addUp(builder: ScheduleBuilder, half: Half, sum: Region): void {
  const { parent, lower, upper } = half.node;
  builder.copy(halfOf("send", half), sum);
  if (lower !== undefined) builder.combine(lower, sum, "before");
  if (upper !== undefined) builder.combine(upper, sum, "after");
  if (parent !== undefined) builder.send(parent, sum);
}

/** The result comes down. */
function addDown(builder: ScheduleBuilder, half: Half): void {
  const { parent, lower, upper } = half.node;
  const vector = halfOf("recv", half);
  if (parent !== undefined) builder.receive(parent, vector);
  if (upper !== undefined) builder.send(upper, vector);
  if (lower !== undefined) builder.send(lower, vector);
}

export function doubleTreeBroadcast(shape: RootedShape): TransportSchedule {
  const { inner, leaf } = halvesOf(shape);
  const builder = new ScheduleBuilder();
  for (const half of [...inner, ...leaf]) addDown(builder, half);
  return builder.build();
}

/** Ranks are combined from the root on to its right, so in their order only if the root is 0. */
export function doubleTreeReduce(shape: RootedShape): TransportSchedule {
  const { inner, leaf } = halvesOf(shape);
  const builder = new ScheduleBuilder();
  const isRoot = shape.rank === shape.root;
  let scratchCount = 0;
  for (const half of leaf) addLeafUp(builder, half);
  for (const half of inner) {
    const sum = isRoot ? halfOf("recv", half) : region("scratch", scratchCount, half.count);
    addUp(builder, half, sum);
    if (!isRoot) scratchCount += half.count;
  }
  return builder.build(scratchCount);
}

export function doubleTreeAllreduce({ rank, ranks, count }: CountShape): TransportSchedule {
  const { inner, leaf } = halvesOf({ rank, ranks, root: 0, count });
  const builder = new ScheduleBuilder();
  for (const half of leaf) addLeafUp(builder, half);
  for (const half of inner) {
    addUp(builder, half, halfOf("recv", half));
    addDown(builder, half);
  }
  for (const half of leaf) addDown(builder, half);
  return builder.build();
}
