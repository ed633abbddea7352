// Gradients that TensorFlow.js composes of many small operations, each with a pass over the tensor.

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
