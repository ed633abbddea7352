/**
 * Rooted collectives along a binomial tree of intervals: ⌈log2 n⌉ rounds. What an inner rank holds
 * for its subtree passes through its scratch; leaves use the caller's buffers only.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication operations
 * in MPICH, IJHPCA 19(1), 2005, section 4; the tree: intervalTree.ts.
 */

import { type Subtree, treePlace } from "./intervalTree.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { RootedShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

export function binomialBroadcast({ rank, ranks, root, count }: RootedShape): TransportSchedule {
  const { parent, children } = treePlace(rank, ranks, root);
  const builder = new ScheduleBuilder();
  const vector = region("recv", 0, count);
  if (parent !== undefined) builder.receive(parent, vector);
  for (const child of children) builder.send(child.root, vector);
  return builder.build();
}

/** Children are combined nearest first: each brings the ranks next to those already combined. */
export function binomialReduce({ rank, ranks, root, count }: RootedShape): TransportSchedule {
  const { parent, children } = treePlace(rank, ranks, root);
  const builder = new ScheduleBuilder();
  const own = region("send", 0, count);
  if (parent !== undefined && children.length === 0) {
    builder.send(parent, own);
    return builder.build();
  }
  const sum = region(parent === undefined ? "recv" : "scratch", 0, count);
  builder.copy(own, sum);
  for (const child of children.toReversed()) {
    builder.combine(child.root, sum, child.root < rank ? "before" : "after");
  }
  if (parent === undefined) return builder.build();
  builder.send(parent, sum);
  return builder.build(count);
}

function blocksOf({ first, end }: Subtree, base: number, count: number) {
  return { offset: (first - base) * count, count: (end - first) * count };
}

/** Every rank collects its subtree's blocks, smallest subtrees first, and passes them on. */
export function binomialGather({ rank, ranks, root, count }: RootedShape): TransportSchedule {
  const { parent, own, children } = treePlace(rank, ranks, root);
  const builder = new ScheduleBuilder();
  const block = region("send", 0, count);
  if (parent !== undefined && children.length === 0) {
    builder.send(parent, block);
    return builder.build();
  }
  const buffer = parent === undefined ? "recv" : "scratch";
  const place = (tree: Subtree) => {
    const { offset, count: blocks } = blocksOf(tree, own.first, count);
    return region(buffer, offset, blocks);
  };
  builder.copy(block, place({ root: rank, first: rank, end: rank + 1 }));
  for (const child of children.toReversed()) builder.receive(child.root, place(child));
  if (parent === undefined) return builder.build();
  builder.send(parent, place(own));
  return builder.build((own.end - own.first) * count);
}

/** The gather backwards: every rank receives its subtree's blocks and hands out its children's. */
export function binomialScatter({ rank, ranks, root, count }: RootedShape): TransportSchedule {
  const { parent, own, children } = treePlace(rank, ranks, root);
  const builder = new ScheduleBuilder();
  const block = region("recv", 0, count);
  if (parent !== undefined && children.length === 0) {
    builder.receive(parent, block);
    return builder.build();
  }
  const buffer = parent === undefined ? "send" : "scratch";
  const place = (tree: Subtree) => {
    const { offset, count: blocks } = blocksOf(tree, own.first, count);
    return region(buffer, offset, blocks);
  };
  if (parent !== undefined) builder.receive(parent, place(own));
  for (const child of children) builder.send(child.root, place(child));
  builder.copy(place({ root: rank, first: rank, end: rank + 1 }), block);
  return builder.build(parent === undefined ? 0 : (own.end - own.first) * count);
}
