// Batch normalisation, channels last: forward, and all gradients at once.
import { zeroFloats } from "./floats";

@unmanaged
class NormArgs {
  x: usize;
  dy: usize;
  dx: usize;
  rows: i32;
  channels: i32;
  /** Values by channel. */
  mean: usize;
  variance: usize;
  scale: usize;
  /** Gradients by channel. */
  dMean: usize;
  dVariance: usize;
  dScale: usize;
  dOffset: usize;
  epsilon: f32;
}

@unmanaged
class NormalizeArgs {
  x: usize;
  y: usize;
  rows: i32;
  channels: i32;
  /** Values by channel; scale and offset may be 0 (none). */
  mean: usize;
  variance: usize;
  scale: usize;
  offset: usize;
  /** Room for two floats a channel. */
  scratch: usize;
  epsilon: f32;
}

/** y = (x - mean) * scale / sqrt(variance + epsilon) + offset, channels last. */
export function batchNormForward(block: usize): void {
  const n = changetype<NormalizeArgs>(block);
  const step = <usize>n.channels << 2;
  // y = (x - mean) * factor + offset. Not x * factor + shift, which cancels for a large mean.
  const factors = n.scratch;
  const offsets = factors + step;
  for (let at: usize = 0; at < step; at += 4) {
    const r: f32 = <f32>1 / sqrt<f32>(load<f32>(n.variance + at) + n.epsilon);
    const factor: f32 = n.scale == 0 ? r : r * load<f32>(n.scale + at);
    store<f32>(factors + at, factor);
    store<f32>(offsets + at, n.offset == 0 ? 0 : load<f32>(n.offset + at));
  }
  for (let row = 0; row < n.rows; row++) {
    const x = n.x + <usize>row * step;
    const y = n.y + <usize>row * step;
    let at: usize = 0;
    for (; at + 16 <= step; at += 16) {
      const centred = f32x4.sub(v128.load(x + at), v128.load(n.mean + at));
      const scaled = f32x4.mul(centred, v128.load(factors + at));
      v128.store(y + at, f32x4.add(scaled, v128.load(offsets + at)));
    }
    for (; at < step; at += 4) {
      const centred = load<f32>(x + at) - load<f32>(n.mean + at);
      store<f32>(y + at, centred * load<f32>(factors + at) + load<f32>(offsets + at));
    }
  }
}

/** Rows summed in registers before they are added to the total: two levels keep rounding small. */
const ROWS_AT_ONCE: i32 = 64;

/**
 * All gradients of y = (x - mean) * scale / sqrt(variance + epsilon) + offset, channels last.
 * With r = 1 / sqrt(variance + epsilon), S = sum of dy and T = sum of dy * (x - mean) by channel:
 *   dx = dy * scale * r    dOffset = S    dScale = r * T
 *   dMean = -r * scale * S    dVariance = -r^3 / 2 * scale * T
 */
export function batchNormGradient(block: usize): void {
  const n = changetype<NormArgs>(block);
  zeroFloats(n.dOffset, n.channels);
  zeroFloats(n.dScale, n.channels);
  const step = <usize>n.channels << 2;
  for (let row = 0; row < n.rows; row += ROWS_AT_ONCE) {
    const rows = min(ROWS_AT_ONCE, n.rows - row);
    let c = 0;
    const offset = <usize>row * step;
    for (; c + 4 <= n.channels; c += 4) addQuadSums(n, offset + (<usize>c << 2), c, rows);
    for (; c < n.channels; c++) addLaneSums(n, offset + (<usize>c << 2), c, rows);
  }
  for (let c = 0; c < n.channels; c++) finishChannel(n, <usize>c << 2);
  // dMean holds scale * r until the end.
  for (let row = 0; row < n.rows; row++) scaleRow(n, <usize>row * step);
  for (let c = 0; c < n.channels; c++) {
    const at = <usize>c << 2;
    store<f32>(n.dMean + at, -load<f32>(n.dMean + at) * load<f32>(n.dOffset + at));
  }
}

function addQuadSums(n: NormArgs, offset: usize, c: i32, rows: i32): void {
  const at = <usize>c << 2;
  const step = <usize>n.channels << 2;
  const mean = v128.load(n.mean + at);
  let s = f32x4.splat(0);
  let t = f32x4.splat(0);
  let x = n.x + offset;
  let dy = n.dy + offset;
  for (let i = 0; i < rows; i++) {
    const gradient = v128.load(dy);
    s = f32x4.add(s, gradient);
    t = f32x4.add(t, f32x4.mul(gradient, f32x4.sub(v128.load(x), mean)));
    x += step;
    dy += step;
  }
  v128.store(n.dOffset + at, f32x4.add(v128.load(n.dOffset + at), s));
  v128.store(n.dScale + at, f32x4.add(v128.load(n.dScale + at), t));
}

function addLaneSums(n: NormArgs, offset: usize, c: i32, rows: i32): void {
  const at = <usize>c << 2;
  const step = <usize>n.channels << 2;
  const mean = load<f32>(n.mean + at);
  let s: f32 = 0;
  let t: f32 = 0;
  let x = n.x + offset;
  let dy = n.dy + offset;
  for (let i = 0; i < rows; i++) {
    const gradient = load<f32>(dy);
    s += gradient;
    t += gradient * (load<f32>(x) - mean);
    x += step;
    dy += step;
  }
  store<f32>(n.dOffset + at, load<f32>(n.dOffset + at) + s);
  store<f32>(n.dScale + at, load<f32>(n.dScale + at) + t);
}

function finishChannel(n: NormArgs, at: usize): void {
  const r: f32 = <f32>1 / sqrt<f32>(load<f32>(n.variance + at) + n.epsilon);
  const scale = load<f32>(n.scale + at);
  const t = load<f32>(n.dScale + at);
  store<f32>(n.dVariance + at, <f32>-0.5 * r * r * r * scale * t);
  store<f32>(n.dScale + at, r * t);
  store<f32>(n.dMean + at, scale * r);
}

function scaleRow(n: NormArgs, offset: usize): void {
  let c = 0;
  for (; c + 4 <= n.channels; c += 4) {
    const at = <usize>c << 2;
    const factor = v128.load(n.dMean + at);
    v128.store(n.dx + offset + at, f32x4.mul(v128.load(n.dy + offset + at), factor));
  }
  for (; c < n.channels; c++) {
    const at = <usize>c << 2;
    store<f32>(n.dx + offset + at, load<f32>(n.dy + offset + at) * load<f32>(n.dMean + at));
  }
}
