// Matrix product C = clamp(A·B + bias), in the way of Goto and van de Geijn, "Anatomy of
// High-Performance Matrix Multiplication" (2008): a block of A is packed for the second-level
// cache, panels of B for the first, and a register tile walks over both. Packing reads any strides,
// so a transposed operand costs no transposed copy.
//
//            n in pairs of panels of 8 (the last one of 4 if that is enough)
//          +-----+-----+--+      packed B panel: [k][8], reused by every tile below it
//          |     |     |  | k
//          +-----+-----+--+
//   k
// +----+   +-----+-----+--+
// | 4  |   | 4x8 | 4x8 |  |      packed A panel: [k][4], reused by every tile beside it
// +----+   +-----+-----+--+
// | 4  |   | 4x8 | 4x8 |  |
// +----+   +-----+-----+--+ m

import { copyFloats, zeroFloats } from "./floats";
import { PANEL_BYTES, packA, packB } from "./pack";

// A sum over the samples of a batch is a tree (batchTree.ts): the depth is packed leaf by leaf, and
// each tile sums its leaves one by one and adds them up as the plan says, in registers and a stack
// that stays in the first-level cache. Any other product is a plan of one leaf.

/** Rows of A packed at once: 128 rows x 256 deep x 4 bytes = 128 KiB, an eighth of a usual L2. */
const BLOCK_ROWS: i32 = 128;
/** Depth packed at once: two panels of B are 2 x 256 x 8 x 4 bytes = 16 KiB, half of a small L1. */
const BLOCK_DEPTH: i32 = 256;
/** Bytes of a tile that waits in the stack, and of a leaf in the plan. */
const TILE_BYTES: usize = 4 * 8 * 4;
const LEAF_BYTES: usize = 16;
/** Where the plan is in the argument block: behind 32 words. */
const PLAN_OFFSET: usize = 32 * 4;

/** Layout of a `gemm` argument block; strides are in elements, pointers in bytes. */
@unmanaged
class GemmArgs {
  a: usize;
  aRow: i32;
  aCol: i32;
  b: usize;
  bRow: i32;
  bCol: i32;
  c: usize;
  cRow: i32;
  m: i32;
  n: i32;
  k: i32;
  /** n values added to each row, or 0. */
  bias: usize;
  /** Not 0: add to what C holds (bias is not used then). */
  accumulate: i32;
  low: f32;
  high: f32;
  /** Room for a block of A, two panels of B, the tile that crosses the border of C, the stack. */
  scratch: usize;
  /** Leaves of the plan, at most BLOCK_DEPTH deep together; 0 for a sum in order. */
  leaves: i32;
  /** Depth in runs: after `run` of it (the first: less `passed`), skip elements of A and of B. */
  run: i32;
  passed: i32;
  aSkip: i32;
  bSkip: i32;
  /** The room behind the arguments is the kernel's own: the tile at work (a Tile). */
  tile: i32;
}

/** A leaf of the plan: the samples start, start + step, …, and the sums to add up behind it. */
@unmanaged
class Leaf {
  start: i32;
  step: i32;
  count: i32;
  merges: i32;
}

/** Where a tile starts from and goes to: C = clamp(start + A panel · B panel). Steps in bytes. */
@unmanaged
class Tile {
  start: usize;
  /** From one row of the start to the next; 0 if all rows start from the same (the bias). */
  startStep: usize;
  c: usize;
  cStep: usize;
  low: f32;
  high: f32;
  /** The plan, and room for the tiles that wait. */
  plan: usize;
  planEnd: usize;
  stack: usize;
}

/**
 * Packs [k, k + depth) of rows of A or columns of B in the order of the sum; `src` is at depth 0.
 * parameters: two strided operands and a count.
 */
function packDepth(
  args: GemmArgs, ofA: bool, src: usize, lanes: i32, k: i32, depth: i32, dst: usize,
): void {
  const laneStep = <usize>((ofA ? args.aRow : args.bCol) << 2);
  const step = <usize>((ofA ? args.aCol : args.bRow) << 2);
  const skip = <usize>((ofA ? args.aSkip : args.bSkip) << 2);
  let plan = changetype<usize>(args) + PLAN_OFFSET;
  for (let first = 0; first < depth; ) {
    let from = src;
    let kStep = step;
    let count = depth;
    if (args.leaves > 0) {
      const leaf = changetype<Leaf>(plan);
      from += <usize>leaf.start * step;
      kStep *= <usize>leaf.step;
      count = leaf.count;
      plan += LEAF_BYTES;
    } else {
      from += <usize>(k + first) * step;
      if (skip != 0) {
        const at = args.passed + k + first;
        from += <usize>(at / args.run) * skip;
        count = min(depth - first, args.run - (at % args.run));
      }
    }
    if (ofA) packA(from, laneStep, kStep, lanes, count, dst, first, depth);
    else packB(from, laneStep, kStep, lanes, count, dst, first);
    first += count;
  }
}

// @ts-ignore: decorator
@inline
function madd(acc: v128, x: v128, y: v128): v128 {
  return f32x4.add(acc, f32x4.mul(x, y));
}

// @ts-ignore: decorator
@inline
function clamp(x: v128, low: v128, high: v128): v128 {
  // x stays NaN: pmax(x, low) is x unless x < low.
  return f32x4.pmin(f32x4.pmax(x, low), high);
}

/**
 * 4 x 8 tile.
 * lines: eight sums live in registers, which no function can take or give back.
 */
function tile4x8(a: usize, b: usize, tile: Tile): void {
  const start = tile.start;
  const startStep = tile.startStep;
  let stack = tile.stack;
  let s00 = v128.load(start);
  let s01 = v128.load(start, 16);
  let s10 = v128.load(start + startStep);
  let s11 = v128.load(start + startStep, 16);
  let s20 = v128.load(start + 2 * startStep);
  let s21 = v128.load(start + 2 * startStep, 16);
  let s30 = v128.load(start + 3 * startStep);
  let s31 = v128.load(start + 3 * startStep, 16);
  let end = a;
  for (let plan = tile.plan; ; ) {
    end += <usize>changetype<Leaf>(plan).count << 4;
    while (a < end) {
      const b0 = v128.load(b);
      const b1 = v128.load(b, 16);
      let x = v128.load_splat<f32>(a);
      s00 = madd(s00, x, b0);
      s01 = madd(s01, x, b1);
      x = v128.load_splat<f32>(a, 4);
      s10 = madd(s10, x, b0);
      s11 = madd(s11, x, b1);
      x = v128.load_splat<f32>(a, 8);
      s20 = madd(s20, x, b0);
      s21 = madd(s21, x, b1);
      x = v128.load_splat<f32>(a, 12);
      s30 = madd(s30, x, b0);
      s31 = madd(s31, x, b1);
      a += 16;
      b += 32;
    }
    for (let merges = changetype<Leaf>(plan).merges; merges > 0; merges--) {
      stack -= TILE_BYTES;
      s00 = f32x4.add(v128.load(stack), s00);
      s01 = f32x4.add(v128.load(stack, 16), s01);
      s10 = f32x4.add(v128.load(stack, 32), s10);
      s11 = f32x4.add(v128.load(stack, 48), s11);
      s20 = f32x4.add(v128.load(stack, 64), s20);
      s21 = f32x4.add(v128.load(stack, 80), s21);
      s30 = f32x4.add(v128.load(stack, 96), s30);
      s31 = f32x4.add(v128.load(stack, 112), s31);
    }
    plan += LEAF_BYTES;
    if (plan == tile.planEnd) {
      store4x8(tile, s00, s01, s10, s11, s20, s21, s30, s31);
      return;
    }
    v128.store(stack, s00);
    v128.store(stack, s01, 16);
    v128.store(stack, s10, 32);
    v128.store(stack, s11, 48);
    v128.store(stack, s20, 64);
    v128.store(stack, s21, 80);
    v128.store(stack, s30, 96);
    v128.store(stack, s31, 112);
    stack += TILE_BYTES;
    // The first product of a leaf is its sum so far: no additions to zero.
    const b0 = v128.load(b);
    const b1 = v128.load(b, 16);
    let x = v128.load_splat<f32>(a);
    s00 = f32x4.mul(x, b0);
    s01 = f32x4.mul(x, b1);
    x = v128.load_splat<f32>(a, 4);
    s10 = f32x4.mul(x, b0);
    s11 = f32x4.mul(x, b1);
    x = v128.load_splat<f32>(a, 8);
    s20 = f32x4.mul(x, b0);
    s21 = f32x4.mul(x, b1);
    x = v128.load_splat<f32>(a, 12);
    s30 = f32x4.mul(x, b0);
    s31 = f32x4.mul(x, b1);
    end = a;
    a += 16;
    b += 32;
  }
}

/** Stores a finished tile. */
// @ts-ignore: decorator
@inline // parameters: the eight registers that it is in
function store4x8(
  tile: Tile,
  s00: v128, s01: v128, s10: v128, s11: v128, s20: v128, s21: v128, s30: v128, s31: v128,
): void {
  const c = tile.c;
  const cStep = tile.cStep;
  const low = f32x4.splat(tile.low);
  const high = f32x4.splat(tile.high);
  v128.store(c, clamp(s00, low, high));
  v128.store(c, clamp(s01, low, high), 16);
  v128.store(c + cStep, clamp(s10, low, high));
  v128.store(c + cStep, clamp(s11, low, high), 16);
  v128.store(c + 2 * cStep, clamp(s20, low, high));
  v128.store(c + 2 * cStep, clamp(s21, low, high), 16);
  v128.store(c + 3 * cStep, clamp(s30, low, high));
  v128.store(c + 3 * cStep, clamp(s31, low, high), 16);
}

/** 4 x 4 tile, for the last panel of B when at most 4 columns are left. */
function tile4x4(a: usize, b: usize, tile: Tile): void {
  const start = tile.start;
  const startStep = tile.startStep;
  let stack = tile.stack;
  for (let plan = tile.plan; ; ) {
    let s0 = v128.load(start);
    let s1 = v128.load(start + startStep);
    let s2 = v128.load(start + 2 * startStep);
    let s3 = v128.load(start + 3 * startStep);
    const end = a + (<usize>changetype<Leaf>(plan).count << 4);
    while (a < end) {
      const b0 = v128.load(b);
      s0 = madd(s0, v128.load_splat<f32>(a), b0);
      s1 = madd(s1, v128.load_splat<f32>(a, 4), b0);
      s2 = madd(s2, v128.load_splat<f32>(a, 8), b0);
      s3 = madd(s3, v128.load_splat<f32>(a, 12), b0);
      a += 16;
      b += 16;
    }
    for (let merges = changetype<Leaf>(plan).merges; merges > 0; merges--) {
      stack -= TILE_BYTES;
      s0 = f32x4.add(v128.load(stack), s0);
      s1 = f32x4.add(v128.load(stack, 16), s1);
      s2 = f32x4.add(v128.load(stack, 32), s2);
      s3 = f32x4.add(v128.load(stack, 48), s3);
    }
    plan += LEAF_BYTES;
    if (plan == tile.planEnd) {
      const low = f32x4.splat(tile.low);
      const high = f32x4.splat(tile.high);
      v128.store(tile.c, clamp(s0, low, high));
      v128.store(tile.c + tile.cStep, clamp(s1, low, high));
      v128.store(tile.c + 2 * tile.cStep, clamp(s2, low, high));
      v128.store(tile.c + 3 * tile.cStep, clamp(s3, low, high));
      return;
    }
    v128.store(stack, s0);
    v128.store(stack, s1, 16);
    v128.store(stack, s2, 32);
    v128.store(stack, s3, 48);
    stack += TILE_BYTES;
  }
}

/**
 * Copies the valid part of a tile between C and the spare tile.
 * parameters: two strided operands and their sizes.
 */
function copyTile(
  from: usize, fromStep: usize, to: usize, toStep: usize, rows: i32, columns: i32,
): void {
  for (let r = 0; r < rows; r++) {
    copyFloats(to, from, columns);
    from += fromStep;
    to += toStep;
  }
}

/** C = clamp(A·B + bias, low, high), or C = clamp(C + A·B, low, high). */
export function gemm(at: usize): void {
  const args = changetype<GemmArgs>(at);
  const aRow = <usize>(args.aRow << 2);
  const tile = changetype<Tile>(at + offsetof<GemmArgs>("tile"));
  tile.plan = at + PLAN_OFFSET;
  tile.planEnd = tile.plan + <usize>max(1, args.leaves) * LEAF_BYTES;
  const panels = args.scratch + <usize>(BLOCK_ROWS * BLOCK_DEPTH * 4);
  tile.stack = panels + 2 * PANEL_BYTES + 64 + TILE_BYTES;
  for (let i = 0; i < args.m; i += BLOCK_ROWS) {
    const rows = min(BLOCK_ROWS, args.m - i);
    const c = args.c + <usize>i * <usize>(args.cRow << 2);
    for (let k = 0; k < args.k; k += BLOCK_DEPTH) {
      const depth = min(BLOCK_DEPTH, args.k - k);
      const last = k + depth == args.k;
      tile.low = last ? args.low : -Infinity;
      tile.high = last ? args.high : Infinity;
      if (args.leaves == 0) {
        changetype<Leaf>(tile.plan).count = depth;
        changetype<Leaf>(tile.plan).merges = 0;
      }
      // A cache line of columns at a time, when A is transposed: leaves lie far apart in memory.
      for (let r = 0; r < rows; r += 16) {
        const to = args.scratch + <usize>(r * depth) * 4;
        packDepth(args, true, args.a + <usize>(i + r) * aRow, min(16, rows - r), k, depth, to);
      }
      multiplyBlock(args, tile, c, rows, k, depth);
    }
  }
}

/**
 * Rows of C += packed block of A · rows [k, k + depth) of B.
 * parameters: what the loops of gemm have at hand, once per block.
 */
function multiplyBlock(args: GemmArgs, tile: Tile, c: usize, rows: i32, k: i32, depth: i32): void {
  const packed = args.scratch + <usize>(BLOCK_ROWS * BLOCK_DEPTH * 4);
  const bias = packed + 2 * PANEL_BYTES;
  const bCol = <usize>(args.bCol << 2);
  const cRow = <usize>(args.cRow << 2);
  const fresh = k == 0 && args.accumulate == 0;
  for (let j = 0; j < args.n; j += 16) {
    const columns = min(16, args.n - j);
    packDepth(args, false, args.b + <usize>j * bCol, columns, k, depth, packed);
    if (fresh) {
      zeroFloats(bias, 16);
      if (args.bias != 0) copyFloats(bias, args.bias + (<usize>j << 2), columns);
    }
    let a = args.scratch;
    let to = c + (<usize>j << 2);
    for (let i = 0; i < rows; i += 4) {
      for (let half = 0; half < columns; half += 8) {
        tile.c = to + (<usize>half << 2);
        tile.cStep = cRow;
        tile.start = fresh ? bias + (<usize>half << 2) : tile.c;
        tile.startStep = fresh ? 0 : cRow;
        const b = half == 0 ? packed : packed + PANEL_BYTES;
        multiplyTile(a, b, tile, min(4, rows - i), min(8, columns - half), bias + 64);
      }
      a += <usize>depth << 4;
      to += 4 * cRow;
    }
  }
}

/**
 * One tile; if it reaches over the border of C, it is made whole in `spare`.
 * parameters: operands and sizes of one call in the inner loops; the rest is in the tile.
 */
function multiplyTile(
  a: usize, b: usize, tile: Tile, rows: i32, columns: i32, spare: usize,
): void {
  const whole = rows == 4 && (columns & 3) == 0;
  const c = tile.c;
  const cStep = tile.cStep;
  if (!whole) {
    if (tile.start == c) {
      copyTile(c, cStep, spare, 32, rows, columns);
      tile.start = spare;
      tile.startStep = 32;
    }
    tile.c = spare;
    tile.cStep = 32;
  }
  if (columns > 4) tile4x8(a, b, tile);
  else tile4x4(a, b, tile);
  if (!whole) copyTile(spare, 32, c, cStep, rows, columns);
}
