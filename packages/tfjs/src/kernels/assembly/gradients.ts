// Gradients that TensorFlow.js composes of many small operations, each with a pass over the tensor.
import { zeroFloats } from "./floats";

@unmanaged
class GateArgs {
  x: usize;
  dy: usize;
  dx: usize;
  count: i32;
  low: f32;
  high: f32;
}

/** dx = dy where low <= x <= high, otherwise 0: the gradient of a clamp. */
export function gateGradient(block: usize): void {
  const g = changetype<GateArgs>(block);
  const low = f32x4.splat(g.low);
  const high = f32x4.splat(g.high);
  let i = 0;
  for (; i + 4 <= g.count; i += 4) {
    const at = <usize>i << 2;
    const x = v128.load(g.x + at);
    const open = v128.and(f32x4.ge(x, low), f32x4.le(x, high));
    v128.store(g.dx + at, v128.and(v128.load(g.dy + at), open));
  }
  for (; i < g.count; i++) {
    const at = <usize>i << 2;
    const x = load<f32>(g.x + at);
    store<f32>(g.dx + at, x >= g.low && x <= g.high ? load<f32>(g.dy + at) : 0);
  }
}

@unmanaged
class SpreadArgs {
  x: usize;
  y: usize;
  outer: i32;
  middle: i32;
  inner: i32;
  scale: f32;
}

/** y[outer, middle, inner] = scale * x[outer, inner]: the gradient of a sum over the middle. */
export function spreadMiddle(block: usize): void {
  const s = changetype<SpreadArgs>(block);
  const scale = f32x4.splat(s.scale);
  const step = <usize>s.inner << 2;
  let y = s.y;
  for (let o = 0; o < s.outer; o++) {
    const x = s.x + <usize>o * step;
    for (let m = 0; m < s.middle; m++) {
      let i = 0;
      for (; i + 4 <= s.inner; i += 4) {
        const at = <usize>i << 2;
        v128.store(y + at, f32x4.mul(scale, v128.load(x + at)));
      }
      for (; i < s.inner; i++) {
        const at = <usize>i << 2;
        store<f32>(y + at, s.scale * load<f32>(x + at));
      }
      y += step;
    }
  }
}

@unmanaged
class NormArgs {
  x: usize;
  dy: usize;
  dx: usize;
  rows: i32;
  channels: i32;
  /** Values by channel; scale may be 0 (none). */
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
    for (; c + 4 <= n.channels; c += 4) addQuadSums(n, <usize>row * step + (<usize>c << 2), c, rows);
    for (; c < n.channels; c++) addLaneSums(n, <usize>row * step + (<usize>c << 2), c, rows);
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
  const scale: f32 = n.scale == 0 ? 1 : load<f32>(n.scale + at);
  const t = load<f32>(n.dScale + at);
  store<f32>(n.dVariance + at, <f32>-0.5 * r * r * r * scale * t);
  store<f32>(n.dScale + at, r * t);
  store<f32>(n.dMean + at, scale * r);
}

function scaleRow(n: NormArgs, offset: usize): void {
  let c = 0;
  for (; c + 4 <= n.channels; c += 4) {
    const at = <usize>c << 2;
    v128.store(n.dx + offset + at, f32x4.mul(v128.load(n.dy + offset + at), v128.load(n.dMean + at)));
  }
  for (; c < n.channels; c++) {
    const at = <usize>c << 2;
    store<f32>(n.dx + offset + at, load<f32>(n.dy + offset + at) * load<f32>(n.dMean + at));
  }
}
