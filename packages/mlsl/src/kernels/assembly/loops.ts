// Loops over the elements of a reduction: for few sources without the tree in memory, for any
// number with it, and for the elements that fill no block.
// All sources of a block are read before any target of it is written: targets may be sources.

import {
  blockBytes,
  combine,
  contribution,
  divisor,
  elementBytes,
  finish,
  loadElement,
  loadVector,
  post,
  pre,
  storeElement,
  storeVector,
  V0,
  V1,
  V2,
  V3,
} from "./lanes";
import { Average, Max, Min, Sum } from "./operators";
import {
  address,
  sourceCountOf,
  tableOf,
  targetCountOf,
  treeOf,
  turnMerges,
  turnSource,
  waitingRoom,
} from "./plan";

// Bytes of four vectors that wait, and of one.
const LINE: usize = 64;
const VECTOR: usize = 16;

// @ts-ignore: decorator
@inline
function pair<T, Op, V>(a: usize, b: usize, factor: v128): v128 {
  const left = contribution<T, Op>(loadVector<T, V>(a), factor);
  return combine<T, Op>(left, contribution<T, Op>(loadVector<T, V>(b), factor));
}

// Two sources, two targets: two ranks in place, the most frequent case, without inner loops.
// @ts-ignore: decorator
@inline
function pairs<T, Op>(plan: usize, begin: usize, end: usize): usize {
  const table = tableOf(plan);
  const a = address(table, 0);
  const b = address(table, 1);
  const x = address(table, 2);
  const y = address(table, 3);
  const by = divisor<T>(plan);
  const before = pre<T>(plan);
  const after = post<T>(plan);
  let i = begin;
  for (; i + blockBytes<T>() <= end; i += blockBytes<T>()) {
    const v0 = finish<T, Op>(pair<T, Op, V0>(a + i, b + i, before), by, after);
    const v1 = finish<T, Op>(pair<T, Op, V1>(a + i, b + i, before), by, after);
    const v2 = finish<T, Op>(pair<T, Op, V2>(a + i, b + i, before), by, after);
    const v3 = finish<T, Op>(pair<T, Op, V3>(a + i, b + i, before), by, after);
    storeVector<T, V0>(x + i, v0);
    storeVector<T, V1>(x + i, v1);
    storeVector<T, V2>(x + i, v2);
    storeVector<T, V3>(x + i, v3);
    storeVector<T, V0>(y + i, v0);
    storeVector<T, V1>(y + i, v1);
    storeVector<T, V2>(y + i, v2);
    storeVector<T, V3>(y + i, v3);
  }
  return i;
}

// Four sources, four targets: four ranks in place, without the tree in memory.
// @ts-ignore: decorator
@inline
function quads<T, Op>(plan: usize, begin: usize, end: usize): usize {
  const table = tableOf(plan);
  const a = address(table, 0);
  const b = address(table, 1);
  const c = address(table, 2);
  const d = address(table, 3);
  const w = address(table, 4);
  const x = address(table, 5);
  const y = address(table, 6);
  const z = address(table, 7);
  const by = divisor<T>(plan);
  let i = begin;
  for (; i + VECTOR <= end; i += VECTOR) {
    const even = combine<T, Op>(loadVector<T, V0>(a + i), loadVector<T, V0>(c + i));
    const odd = combine<T, Op>(loadVector<T, V0>(b + i), loadVector<T, V0>(d + i));
    const v = finish<T, Op>(combine<T, Op>(even, odd), by, by);
    storeVector<T, V0>(w + i, v);
    storeVector<T, V0>(x + i, v);
    storeVector<T, V0>(y + i, v);
    storeVector<T, V0>(z + i, v);
  }
  return i;
}

// The same, element by element.
// @ts-ignore: decorator
@inline
function pairSingles<T, Op>(plan: usize, begin: usize, end: usize): void {
  const table = tableOf(plan);
  const a = address(table, 0);
  const b = address(table, 1);
  const x = address(table, 2);
  const y = address(table, 3);
  const by = divisor<T>(plan);
  const before = pre<T>(plan);
  const after = post<T>(plan);
  for (let i = begin; i < end; i += elementBytes<T>()) {
    const left = contribution<T, Op>(loadElement<T>(a + i), before);
    const right = contribution<T, Op>(loadElement<T>(b + i), before);
    const v = finish<T, Op>(combine<T, Op>(left, right), by, after);
    storeElement<T>(x + i, v);
    storeElement<T>(y + i, v);
  }
}

// Any number of sources and targets.
// @ts-ignore: decorator
@inline
function many<T, Op>(plan: usize, begin: usize, end: usize): usize {
  const sourceCount = sourceCountOf(plan);
  const sources = tableOf(plan);
  const targets = sources + 4 * sourceCount;
  const targetCount = targetCountOf(plan);
  const tree = treeOf(plan);
  const room = waitingRoom(tree, sourceCount);
  const by = divisor<T>(plan);
  const before = pre<T>(plan);
  const after = post<T>(plan);
  let i = begin;
  for (; i + blockBytes<T>() <= end; i += blockBytes<T>()) {
    let waiting = room;
    let p = address(sources, turnSource(tree, 0)) + i;
    let v0 = contribution<T, Op>(loadVector<T, V0>(p), before);
    let v1 = contribution<T, Op>(loadVector<T, V1>(p), before);
    let v2 = contribution<T, Op>(loadVector<T, V2>(p), before);
    let v3 = contribution<T, Op>(loadVector<T, V3>(p), before);
    for (let s: usize = 1; s < sourceCount; s++) {
      v128.store(waiting, v0);
      v128.store(waiting, v1, 16);
      v128.store(waiting, v2, 32);
      v128.store(waiting, v3, 48);
      waiting += LINE;
      p = address(sources, turnSource(tree, s)) + i;
      v0 = contribution<T, Op>(loadVector<T, V0>(p), before);
      v1 = contribution<T, Op>(loadVector<T, V1>(p), before);
      v2 = contribution<T, Op>(loadVector<T, V2>(p), before);
      v3 = contribution<T, Op>(loadVector<T, V3>(p), before);
      for (let merges = turnMerges(tree, s); merges != 0; merges--) {
        waiting -= LINE;
        v0 = combine<T, Op>(v128.load(waiting), v0);
        v1 = combine<T, Op>(v128.load(waiting, 16), v1);
        v2 = combine<T, Op>(v128.load(waiting, 32), v2);
        v3 = combine<T, Op>(v128.load(waiting, 48), v3);
      }
    }
    v0 = finish<T, Op>(v0, by, after);
    v1 = finish<T, Op>(v1, by, after);
    v2 = finish<T, Op>(v2, by, after);
    v3 = finish<T, Op>(v3, by, after);
    for (let t: usize = 0; t < targetCount; t++) {
      p = address(targets, t) + i;
      storeVector<T, V0>(p, v0);
      storeVector<T, V1>(p, v1);
      storeVector<T, V2>(p, v2);
      storeVector<T, V3>(p, v3);
    }
  }
  return i;
}

// The same, element by element: one element fills all lanes of a vector.
// @ts-ignore: decorator
@inline
function singles<T, Op>(plan: usize, begin: usize, end: usize): void {
  const sourceCount = sourceCountOf(plan);
  const sources = tableOf(plan);
  const targets = sources + 4 * sourceCount;
  const targetCount = targetCountOf(plan);
  const tree = treeOf(plan);
  const room = waitingRoom(tree, sourceCount);
  const by = divisor<T>(plan);
  const before = pre<T>(plan);
  const after = post<T>(plan);
  for (let i = begin; i < end; i += elementBytes<T>()) {
    let waiting = room;
    let v = loadElement<T>(address(sources, turnSource(tree, 0)) + i);
    v = contribution<T, Op>(v, before);
    for (let s: usize = 1; s < sourceCount; s++) {
      v128.store(waiting, v);
      waiting += VECTOR;
      v = loadElement<T>(address(sources, turnSource(tree, s)) + i);
      v = contribution<T, Op>(v, before);
      for (let merges = turnMerges(tree, s); merges != 0; merges--) {
        waiting -= VECTOR;
        v = combine<T, Op>(v128.load(waiting), v);
      }
    }
    v = finish<T, Op>(v, by, after);
    for (let t: usize = 0; t < targetCount; t++) {
      storeElement<T>(address(targets, t) + i, v);
    }
  }
}

// The most frequent reductions of training; for all others, many() is enough.
// @ts-ignore: decorator
@inline
function hasQuads<T, Op>(): bool {
  if (!isFloat<T>()) return false;
  if (idof<Op>() == idof<Sum>() || idof<Op>() == idof<Average>()) return true;
  return idof<Op>() == idof<Min>() || idof<Op>() == idof<Max>();
}

// @ts-ignore: decorator
@inline
function blocks<T, Op>(plan: usize, begin: usize, end: usize): usize {
  if (hasQuads<T, Op>() && sourceCountOf(plan) == 4 && targetCountOf(plan) == 4) {
    return quads<T, Op>(plan, begin, end);
  }
  return many<T, Op>(plan, begin, end);
}

// Reduces the bytes [begin, end) of all buffers as elements of type T.
export function reduceTyped<T, Op>(plan: usize, begin: usize, end: usize): void {
  if (sourceCountOf(plan) == 2 && targetCountOf(plan) == 2) {
    pairSingles<T, Op>(plan, pairs<T, Op>(plan, begin, end), end);
  } else {
    singles<T, Op>(plan, blocks<T, Op>(plan, begin, end), end);
  }
}
