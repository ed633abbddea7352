// Reductions: every element of the targets becomes the combination of the same element of all
// sources, in the order of ../reductionTree.ts, whoever computes it.
//
// A plan in memory tells what to combine (32-bit words):
//   0 code = type << 8 | operator   1 number of sources   2 number of targets   3 ranks (average)
//   4 address of the tree           5 … addresses of the sources, then addresses of the targets
// A tree (32-bit words): for each turn the number of the source and how often to combine; room for
// the values that wait follows at the next cache line.
// All sources of a vector are read before any target of it is written: targets may be sources.

const SUM: i32 = 0;
const AVERAGE: i32 = 1;
const MIN: i32 = 2;
const MAX: i32 = 3;

// The operators as types: a test of sizeof<Op>() is decided by the compiler, so every operator
// gets a loop of its own. A test of a value would stay in the loop, where it doubles its time.
type Sum = u8;
type Average = u16;
type Min = u32;
type Max = u64;

const FLOAT32: i32 = 3;
const FLOAT64: i32 = 4;

// Four vectors at a time: one cache line, and enough independent additions to hide their latency.
const BLOCK: usize = 64;

const TABLE_OFFSET: usize = 20;
const TURN_BYTES: usize = 8;

// @ts-ignore: decorator
@inline
function waitingRoom(tree: usize, sourceCount: usize): usize {
  return (tree + TURN_BYTES * sourceCount + 63) & ~63;
}

// @ts-ignore: decorator
@inline
function combineVector<T, Op>(a: v128, b: v128): v128 {
  // min and max of WebAssembly return NaN when either side is NaN, and order -0 below +0.
  if (sizeof<Op>() == sizeof<Min>()) return v128.min<T>(a, b);
  if (sizeof<Op>() == sizeof<Max>()) return v128.max<T>(a, b);
  return v128.add<T>(a, b);
}

// @ts-ignore: decorator
@inline
function finishVector<T, Op>(a: v128, divisor: v128): v128 {
  if (sizeof<Op>() == sizeof<Average>()) return v128.div<T>(a, divisor);
  return a;
}

// @ts-ignore: decorator
@inline
function combineScalar<T, Op>(a: T, b: T): T {
  if (sizeof<Op>() == sizeof<Min>()) return min<T>(a, b);
  if (sizeof<Op>() == sizeof<Max>()) return max<T>(a, b);
  return (a + b) as T;
}

// @ts-ignore: decorator
@inline
function scalars<T, Op>(plan: usize, begin: usize, end: usize): void {
  const sources = plan + TABLE_OFFSET;
  const sourceCount: usize = load<u32>(plan, 4);
  const targets = sources + 4 * sourceCount;
  const targetCount: usize = load<u32>(plan, 8);
  const divisor = load<u32>(plan, 12) as T;
  const tree: usize = load<u32>(plan, 16);
  const room = waitingRoom(tree, sourceCount);
  for (let i = begin; i < end; i += sizeof<T>()) {
    let waiting = room;
    let value = 0 as T;
    for (let s: usize = 0; s < sourceCount; s++) {
      if (s != 0) {
        store<T>(waiting, value);
        waiting += sizeof<T>();
      }
      const turn = tree + TURN_BYTES * s;
      value = load<T>((load<u32>(sources + 4 * load<u32>(turn)) as usize) + i);
      for (let merges = load<u32>(turn, 4); merges != 0; merges--) {
        waiting -= sizeof<T>();
        value = combineScalar<T, Op>(load<T>(waiting), value);
      }
    }
    if (sizeof<Op>() == sizeof<Average>()) value = (value / divisor) as T;
    for (let t: usize = 0; t < targetCount; t++) {
      store<T>((load<u32>(targets + 4 * t) as usize) + i, value);
    }
  }
}

// Two sources, two targets: two ranks in place, the most frequent case, without inner loops.
// @ts-ignore: decorator
@inline
function pairs<T, Op>(plan: usize, begin: usize, end: usize): usize {
  const a: usize = load<u32>(plan, 20);
  const b: usize = load<u32>(plan, 24);
  const x: usize = load<u32>(plan, 28);
  const y: usize = load<u32>(plan, 32);
  const divisor = v128.splat<T>(load<u32>(plan, 12) as T);
  let i = begin;
  for (; i + BLOCK <= end; i += BLOCK) {
    let v0 = combineVector<T, Op>(v128.load(a + i), v128.load(b + i));
    let v1 = combineVector<T, Op>(v128.load(a + i, 16), v128.load(b + i, 16));
    let v2 = combineVector<T, Op>(v128.load(a + i, 32), v128.load(b + i, 32));
    let v3 = combineVector<T, Op>(v128.load(a + i, 48), v128.load(b + i, 48));
    v0 = finishVector<T, Op>(v0, divisor);
    v1 = finishVector<T, Op>(v1, divisor);
    v2 = finishVector<T, Op>(v2, divisor);
    v3 = finishVector<T, Op>(v3, divisor);
    v128.store(x + i, v0);
    v128.store(x + i, v1, 16);
    v128.store(x + i, v2, 32);
    v128.store(x + i, v3, 48);
    v128.store(y + i, v0);
    v128.store(y + i, v1, 16);
    v128.store(y + i, v2, 32);
    v128.store(y + i, v3, 48);
  }
  return i;
}

// Four sources, four targets: four ranks in place, without the tree in memory.
// @ts-ignore: decorator
@inline
function quads<T, Op>(plan: usize, begin: usize, end: usize): usize {
  const a: usize = load<u32>(plan, 20);
  const b: usize = load<u32>(plan, 24);
  const c: usize = load<u32>(plan, 28);
  const d: usize = load<u32>(plan, 32);
  const w: usize = load<u32>(plan, 36);
  const x: usize = load<u32>(plan, 40);
  const y: usize = load<u32>(plan, 44);
  const z: usize = load<u32>(plan, 48);
  const divisor = v128.splat<T>(load<u32>(plan, 12) as T);
  let i = begin;
  for (; i + 16 <= end; i += 16) {
    const even = combineVector<T, Op>(v128.load(a + i), v128.load(c + i));
    const odd = combineVector<T, Op>(v128.load(b + i), v128.load(d + i));
    const v = finishVector<T, Op>(combineVector<T, Op>(even, odd), divisor);
    v128.store(w + i, v);
    v128.store(x + i, v);
    v128.store(y + i, v);
    v128.store(z + i, v);
  }
  return i;
}

// Any number of sources and targets.
// @ts-ignore: decorator
@inline
function many<T, Op>(plan: usize, begin: usize, end: usize): usize {
  const sources = plan + TABLE_OFFSET;
  const sourceCount: usize = load<u32>(plan, 4);
  const targets = sources + 4 * sourceCount;
  const targetCount: usize = load<u32>(plan, 8);
  const divisor = v128.splat<T>(load<u32>(plan, 12) as T);
  const tree: usize = load<u32>(plan, 16);
  const room = waitingRoom(tree, sourceCount);
  let i = begin;
  for (; i + BLOCK <= end; i += BLOCK) {
    let waiting = room;
    let p: usize = (load<u32>(sources + 4 * load<u32>(tree)) as usize) + i;
    let v0 = v128.load(p);
    let v1 = v128.load(p, 16);
    let v2 = v128.load(p, 32);
    let v3 = v128.load(p, 48);
    for (let s: usize = 1; s < sourceCount; s++) {
      v128.store(waiting, v0);
      v128.store(waiting, v1, 16);
      v128.store(waiting, v2, 32);
      v128.store(waiting, v3, 48);
      waiting += BLOCK;
      const turn = tree + TURN_BYTES * s;
      p = (load<u32>(sources + 4 * load<u32>(turn)) as usize) + i;
      v0 = v128.load(p);
      v1 = v128.load(p, 16);
      v2 = v128.load(p, 32);
      v3 = v128.load(p, 48);
      for (let merges = load<u32>(turn, 4); merges != 0; merges--) {
        waiting -= BLOCK;
        v0 = combineVector<T, Op>(v128.load(waiting), v0);
        v1 = combineVector<T, Op>(v128.load(waiting, 16), v1);
        v2 = combineVector<T, Op>(v128.load(waiting, 32), v2);
        v3 = combineVector<T, Op>(v128.load(waiting, 48), v3);
      }
    }
    v0 = finishVector<T, Op>(v0, divisor);
    v1 = finishVector<T, Op>(v1, divisor);
    v2 = finishVector<T, Op>(v2, divisor);
    v3 = finishVector<T, Op>(v3, divisor);
    for (let t: usize = 0; t < targetCount; t++) {
      p = (load<u32>(targets + 4 * t) as usize) + i;
      v128.store(p, v0);
      v128.store(p, v1, 16);
      v128.store(p, v2, 32);
      v128.store(p, v3, 48);
    }
  }
  return i;
}

function reduceTyped<T, Op>(plan: usize, begin: usize, end: usize): void {
  const sources = load<u32>(plan, 4);
  const inPlace = sources == load<u32>(plan, 8);
  let done: usize;
  if (inPlace && sources == 2) done = pairs<T, Op>(plan, begin, end);
  else if (inPlace && sources == 4) done = quads<T, Op>(plan, begin, end);
  else done = many<T, Op>(plan, begin, end);
  scalars<T, Op>(plan, done, end);
}

// Reduces the bytes [begin, end) of the buffers named in the plan.
export function reduce(plan: usize, begin: usize, end: usize): void {
  switch (load<u32>(plan)) {
    case (FLOAT32 << 8) | SUM:
      return reduceTyped<f32, Sum>(plan, begin, end);
    case (FLOAT32 << 8) | AVERAGE:
      return reduceTyped<f32, Average>(plan, begin, end);
    case (FLOAT32 << 8) | MIN:
      return reduceTyped<f32, Min>(plan, begin, end);
    case (FLOAT32 << 8) | MAX:
      return reduceTyped<f32, Max>(plan, begin, end);
    case (FLOAT64 << 8) | SUM:
      return reduceTyped<f64, Sum>(plan, begin, end);
    case (FLOAT64 << 8) | AVERAGE:
      return reduceTyped<f64, Average>(plan, begin, end);
    case (FLOAT64 << 8) | MIN:
      return reduceTyped<f64, Min>(plan, begin, end);
    case (FLOAT64 << 8) | MAX:
      return reduceTyped<f64, Max>(plan, begin, end);
    default:
      unreachable();
  }
}
