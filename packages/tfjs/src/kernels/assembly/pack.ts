// Packs the operands of a matrix product (gemm.ts) into panels, in the order in which the register
// tile reads them.

/** Bytes of a packed panel of B: 256 deep, the most that is packed at once. */
export const PANEL_BYTES: usize = 8 * 256 * 4;

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
 * Packs rows of A into panels [depth][4], at [first, first + k) of their depth.
 * parameters: as for packQuad.
 */
export function packA(
  src: usize, rowStep: usize, kStep: usize, rows: i32, k: i32, dst: usize, first: i32, depth: i32,
): void {
  const panel = <usize>depth << 4;
  dst += <usize>first << 4;
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
 * Packs up to 16 columns of B into two panels, [depth][8] or, for at most 4 columns, [depth][4], at
 * [first, first + k) of their depth.
 * parameters: as for packQuad.
 */
export function packB(
  src: usize, columnStep: usize, kStep: usize, columns: i32, k: i32, dst: usize, first: i32,
): void {
  if (columnStep == 4 && columns == 16) {
    packLine(src, kStep, k, dst + (<usize>first << 5), 32, 16, PANEL_BYTES);
    return;
  }
  for (let j = 0; j < columns; j += 8) {
    const width = min(8, columns - j);
    const from = src + <usize>j * columnStep;
    const step: usize = width > 4 ? 32 : 16;
    const to = dst + <usize>first * step;
    packQuad(from, columnStep, kStep, min(4, width), k, to, step);
    if (width > 4) packQuad(from + 4 * columnStep, columnStep, kStep, width - 4, k, to + 16, step);
    dst += PANEL_BYTES;
  }
}
