// The depthwise convolution and its gradients. The innermost loop runs along a line of the image
// with four channels in a register, so the filter (or its gradient) is touched once per line; this
// also sums in two levels, which keeps the rounding error of long sums small.
import { WindowArgs, endInside, firstInside } from "./window";

/** What is computed from the other two. */
const FORWARD: i32 = 0;
const IMAGE: i32 = 1;
const FILTER: i32 = 2;

/** Adds to `places` (y, zeroed by the caller) image x filter (`extra`). */
export function depthwiseForward(at: usize): void {
  const w = changetype<WindowArgs>(at);
  eachLine(w, FORWARD);
}

/** Adds to `image` (dx, zeroed by the caller) `places` (dy) x filter (`extra`). */
export function depthwiseImageGradient(at: usize): void {
  const w = changetype<WindowArgs>(at);
  eachLine(w, IMAGE);
}

/** Adds to `extra` (the filter's gradient, zeroed by the caller) image x dy (`places`). */
export function depthwiseFilterGradient(at: usize): void {
  const w = changetype<WindowArgs>(at);
  eachLine(w, FILTER);
}

function eachLine(w: WindowArgs, result: i32): void {
  const pixel = <usize>w.channels << 2;
  const outPixel = pixel * w.multiplier;
  for (let sample = 0; sample < w.batch; sample++) {
    const n = sample * w.sampleStep;
    for (let oy = 0; oy < w.outHeight; oy++) {
      const dy = w.places + <usize>((n * w.outHeight + oy) * w.outWidth) * outPixel;
      for (let ky = 0; ky < w.filterHeight; ky++) {
        const y = oy * w.strideHeight + ky * w.dilationHeight - w.padTop;
        if (<u32>y >= <u32>w.inHeight) continue;
        const line = w.image + <usize>((n * w.inHeight + y) * w.inWidth) * pixel;
        for (let kx = 0; kx < w.filterWidth; kx++) {
          const offset = kx * w.dilationWidth - w.padLeft;
          const begin = firstInside(offset, w.strideWidth);
          const count = endInside(offset, w.strideWidth, w.inWidth, w.outWidth) - begin;
          if (count <= 0) continue;
          const x = line + <usize>(begin * w.strideWidth + offset) * pixel;
          const filter = w.extra + <usize>(ky * w.filterWidth + kx) * outPixel;
          const places = dy + <usize>begin * outPixel;
          if (result == FILTER) {
            filterLine(w, x, places, filter, count);
          } else {
            setLine(w, x, places, result == IMAGE);
            scaledLine(w, filter, count);
          }
        }
      }
    }
  }
}

function setLine(w: WindowArgs, x: usize, places: usize, toImage: bool): void {
  const pixel = <usize>w.channels << 2;
  const xStep = pixel * w.strideWidth;
  const placeStep = pixel * w.multiplier;
  w.to = toImage ? x : places;
  w.toStep = toImage ? xStep : placeStep;
  w.toDivisor = toImage ? w.multiplier : 1;
  w.from = toImage ? places : x;
  w.fromStep = toImage ? placeStep : xStep;
  w.fromDivisor = toImage ? 1 : w.multiplier;
}

/** The line at work: to += from * filter, for `count` places. */
function scaledLine(w: WindowArgs, filter: usize, count: i32): void {
  const outputs = w.channels * w.multiplier;
  const toStep = w.toStep;
  const fromStep = w.fromStep;
  let c = 0;
  if (w.multiplier == 1) {
    for (; c + 4 <= outputs; c += 4) {
      const weight = v128.load(filter + (<usize>c << 2));
      let to = w.to + (<usize>c << 2);
      let from = w.from + (<usize>c << 2);
      for (let i = 0; i < count; i++) {
        v128.store(to, f32x4.add(v128.load(to), f32x4.mul(v128.load(from), weight)));
        to += toStep;
        from += fromStep;
      }
    }
  }
  for (; c < outputs; c++) {
    const weight = load<f32>(filter + (<usize>c << 2));
    let to = w.to + (<usize>(c / w.toDivisor) << 2);
    let from = w.from + (<usize>(c / w.fromDivisor) << 2);
    for (let i = 0; i < count; i++) {
      store<f32>(to, load<f32>(to) + load<f32>(from) * weight);
      to += toStep;
      from += fromStep;
    }
  }
}

/** filter += image * places, for `count` places. */
function filterLine(w: WindowArgs, x: usize, dy: usize, filter: usize, count: i32): void {
  const pixel = <usize>w.channels << 2;
  const xStep = pixel * w.strideWidth;
  const dyStep = pixel * w.multiplier;
  const outputs = w.channels * w.multiplier;
  let c = 0;
  if (w.multiplier == 1) {
    for (; c + 4 <= outputs; c += 4) {
      let sum = f32x4.splat(0);
      let at = x + (<usize>c << 2);
      let from = dy + (<usize>c << 2);
      for (let i = 0; i < count; i++) {
        sum = f32x4.add(sum, f32x4.mul(v128.load(at), v128.load(from)));
        at += xStep;
        from += dyStep;
      }
      const to = filter + (<usize>c << 2);
      v128.store(to, f32x4.add(v128.load(to), sum));
    }
  }
  for (; c < outputs; c++) {
    let sum: f32 = 0;
    let at = x + (<usize>(c / w.multiplier) << 2);
    let from = dy + (<usize>c << 2);
    for (let i = 0; i < count; i++) {
      sum += load<f32>(at) * load<f32>(from);
      at += xStep;
      from += dyStep;
    }
    const to = filter + (<usize>c << 2);
    store<f32>(to, load<f32>(to) + sum);
  }
}
