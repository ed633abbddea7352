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

/** Rows of A packed at once: 128 rows x 256 deep x 4 bytes = 128 KiB, an eighth of a usual L2. */
const BLOCK_ROWS: i32 = 128;
/** Depth packed at once: two panels of B are 2 x 256 x 8 x 4 bytes = 16 KiB, half of a small L1. */
const BLOCK_DEPTH: i32 = 256;
/** Bytes of a packed panel of B. */
const PANEL_BYTES: usize = 8 * 256 * 4;

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
  /** Room for a block of A, two panels of B, and the tile that crosses the border of C. */
  scratch: usize;
  /** The room behind the arguments is the kernel's own: the tile at work (a Tile). */
  tile: i32;
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
}

/**
 * Packs 4 lanes: dst[k][0..3] = src[lane][k], absent lanes as zeros. Steps in bytes.
 * parameters: two strided operands and a count; a block in memory would cost more than the loop.
 */
function packQuad(
  src: usize, laneStep: usize, kStep: usize, lanes: i32, k: i32, dst: usize, dstStep: usize,
): void {
  if (lanes == 4 && laneStep == 4) {
    for (let i = 0; i < k; i++) {
      v128.store(dst, v128.load(src));
      src += kStep;
      dst += dstStep;
    }
    return;
  }
  let i = 0;
  if (lanes == 4 && kStep == 4) {
    const s1 = src + laneStep;
    const s2 = s1 + laneStep;
    const s3 = s2 + laneStep;
    for (; i + 4 <= k; i += 4) {
      const at = <usize>i << 2;
      const r0 = v128.load(src + at);
      const r1 = v128.load(s1 + at);
      const r2 = v128.load(s2 + at);
      const r3 = v128.load(s3 + at);
      const lo01 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5);
      const hi01 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
      const lo23 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5);
      const hi23 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
      v128.store(dst, v128.shuffle<f32>(lo01, lo23, 0, 1, 4, 5));
      v128.store(dst + dstStep, v128.shuffle<f32>(lo01, lo23, 2, 3, 6, 7));
      v128.store(dst + 2 * dstStep, v128.shuffle<f32>(hi01, hi23, 0, 1, 4, 5));
      v128.store(dst + 3 * dstStep, v128.shuffle<f32>(hi01, hi23, 2, 3, 6, 7));
      dst += 4 * dstStep;
    }
  }
  for (; i < k; i++) {
    const from = src + <usize>i * kStep;
    for (let lane = 0; lane < 4; lane++) {
      const value: f32 = lane < lanes ? load<f32>(from + <usize>lane * laneStep) : 0;
      store<f32>(dst + (<usize>lane << 2), value);
    }
    dst += dstStep;
  }
}

/**
 * Packs 16 lanes that lie side by side, a whole cache line, as four quads.
 * parameters: as for packQuad, and where the second and the third quad go.
 */
function packLine(
  src: usize, kStep: usize, k: i32, dst: usize, dstStep: usize, quad1: usize, quad2: usize,
): void {
  const dst1 = dst + quad1;
  const dst2 = dst + quad2;
  const dst3 = dst2 + quad1;
  let to: usize = 0;
  for (let i = 0; i < k; i++) {
    v128.store(dst + to, v128.load(src));
    v128.store(dst1 + to, v128.load(src, 16));
    v128.store(dst2 + to, v128.load(src, 32));
    v128.store(dst3 + to, v128.load(src, 48));
    src += kStep;
    to += dstStep;
  }
}

/**
 * Packs rows of A into panels [k][4].
 * parameters: as for packQuad.
 */
function packA(
  src: usize, rowStep: usize, kStep: usize, rows: i32, k: i32, dst: usize,
): void {
  const panel = <usize>k << 4;
  let i = 0;
  if (rowStep == 4) {
    for (; i + 16 <= rows; i += 16) {
      packLine(src + (<usize>i << 2), kStep, k, dst, 16, panel, 2 * panel);
      dst += 4 * panel;
    }
  }
  for (; i < rows; i += 4) {
    packQuad(src + <usize>i * rowStep, rowStep, kStep, min(4, rows - i), k, dst, 16);
    dst += panel;
  }
}

/**
 * Packs up to 16 columns of B into two panels, [k][8] or, for at most 4 columns, [k][4].
 * parameters: as for packQuad.
 */
function packB(
  src: usize, columnStep: usize, kStep: usize, columns: i32, k: i32, dst: usize,
): void {
  if (columnStep == 4 && columns == 16) {
    packLine(src, kStep, k, dst, 32, 16, PANEL_BYTES);
    return;
  }
  for (let j = 0; j < columns; j += 8) {
    const width = min(8, columns - j);
    const from = src + <usize>j * columnStep;
    const step: usize = width > 4 ? 32 : 16;
    packQuad(from, columnStep, kStep, min(4, width), k, dst, step);
    if (width > 4) packQuad(from + 4 * columnStep, columnStep, kStep, width - 4, k, dst + 16, step);
    dst += PANEL_BYTES;
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

/** 4 x 8 tile. */
function tile4x8(a: usize, b: usize, k: i32, tile: Tile): void {
  const start = tile.start;
  const startStep = tile.startStep;
  let s00 = v128.load(start);
  let s01 = v128.load(start, 16);
  let s10 = v128.load(start + startStep);
  let s11 = v128.load(start + startStep, 16);
  let s20 = v128.load(start + 2 * startStep);
  let s21 = v128.load(start + 2 * startStep, 16);
  let s30 = v128.load(start + 3 * startStep);
  let s31 = v128.load(start + 3 * startStep, 16);
  const end = a + (<usize>k << 4);
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
function tile4x4(a: usize, b: usize, k: i32, tile: Tile): void {
  const start = tile.start;
  const startStep = tile.startStep;
  let s0 = v128.load(start);
  let s1 = v128.load(start + startStep);
  let s2 = v128.load(start + 2 * startStep);
  let s3 = v128.load(start + 3 * startStep);
  const end = a + (<usize>k << 4);
  while (a < end) {
    const b0 = v128.load(b);
    s0 = madd(s0, v128.load_splat<f32>(a), b0);
    s1 = madd(s1, v128.load_splat<f32>(a, 4), b0);
    s2 = madd(s2, v128.load_splat<f32>(a, 8), b0);
    s3 = madd(s3, v128.load_splat<f32>(a, 12), b0);
    a += 16;
    b += 16;
  }
  const c = tile.c;
  const cStep = tile.cStep;
  const low = f32x4.splat(tile.low);
  const high = f32x4.splat(tile.high);
  v128.store(c, clamp(s0, low, high));
  v128.store(c + cStep, clamp(s1, low, high));
  v128.store(c + 2 * cStep, clamp(s2, low, high));
  v128.store(c + 3 * cStep, clamp(s3, low, high));
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
  const aCol = <usize>(args.aCol << 2);
  const tile = changetype<Tile>(at + offsetof<GemmArgs>("tile"));
  for (let i = 0; i < args.m; i += BLOCK_ROWS) {
    const rows = min(BLOCK_ROWS, args.m - i);
    const c = args.c + <usize>i * <usize>(args.cRow << 2);
    for (let k = 0; k < args.k; k += BLOCK_DEPTH) {
      const depth = min(BLOCK_DEPTH, args.k - k);
      const last = k + depth == args.k;
      tile.low = last ? args.low : -Infinity;
      tile.high = last ? args.high : Infinity;
      packA(args.a + <usize>i * aRow + <usize>k * aCol, aRow, aCol, rows, depth, args.scratch);
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
  const bRow = <usize>(args.bRow << 2);
  const bCol = <usize>(args.bCol << 2);
  const cRow = <usize>(args.cRow << 2);
  const fresh = k == 0 && args.accumulate == 0;
  for (let j = 0; j < args.n; j += 16) {
    const columns = min(16, args.n - j);
    packB(args.b + <usize>j * bCol + <usize>k * bRow, bCol, bRow, columns, depth, packed);
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
        multiplyTile(a, b, depth, tile, min(4, rows - i), min(8, columns - half), bias + 64);
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
  a: usize, b: usize, k: i32, tile: Tile, rows: i32, columns: i32, spare: usize,
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
  if (columns > 4) tile4x8(a, b, k, tile);
  else tile4x4(a, b, k, tile);
  if (!whole) copyTile(spare, 32, c, cStep, rows, columns);
}
