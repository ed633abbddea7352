// Runs of floats. Inline loops, because the bulk memory instructions leave the module for a call
// that costs as much as copying some hundred bytes, and most runs here are a few dozen bytes.

/** dst[0..count) = src[0..count). */
export function copyFloats(dst: usize, src: usize, count: i32): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = <usize>i << 2;
    v128.store(dst + at, v128.load(src + at));
  }
  for (; i < count; i++) {
    const at = <usize>i << 2;
    store<f32>(dst + at, load<f32>(src + at));
  }
}

/** dst[0..count) = 0. */
export function zeroFloats(dst: usize, count: i32): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) v128.store(dst + (<usize>i << 2), f32x4.splat(0));
  for (; i < count; i++) store<f32>(dst + (<usize>i << 2), 0);
}

/** dst[0..count) += src[0..count). */
export function addFloats(dst: usize, src: usize, count: i32): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = <usize>i << 2;
    v128.store(dst + at, f32x4.add(v128.load(dst + at), v128.load(src + at)));
  }
  for (; i < count; i++) {
    const at = <usize>i << 2;
    store<f32>(dst + at, load<f32>(dst + at) + load<f32>(src + at));
  }
}

/** dst[0..count) *= factor. */
export function scaleFloats(dst: usize, count: i32, factor: f32): void {
  for (let i = 0; i < count; i++) {
    const at = dst + (<usize>i << 2);
    store<f32>(at, load<f32>(at) * factor);
  }
}
