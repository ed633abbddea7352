// Gradient of max pooling: each output's gradient goes to the first largest element of its window,
// in the order of rows, then columns, as TensorFlow.js has it.
import { WindowArgs } from "./window";

/** Adds dy (`places`) to the gradient `image`, zeroed by the caller; `extra` is the input. */
export function maxPoolGradient(at: usize): void {
  const w = changetype<WindowArgs>(at);
  const pixel = <usize>w.channels << 2;
  const imageStep = <usize>(w.inHeight * w.inWidth) * pixel;
  let dy = w.places;
  for (let n = 0; n < w.batch; n++) {
    for (let oy = 0; oy < w.outHeight; oy++) {
      const y0 = oy * w.strideHeight - w.padTop;
      const y = max(0, y0);
      w.down = min(w.inHeight, y0 + w.filterHeight) - y;
      for (let ox = 0; ox < w.outWidth; ox++) {
        const x0 = ox * w.strideWidth - w.padLeft;
        const x = max(0, x0);
        w.across = min(w.inWidth, x0 + w.filterWidth) - x;
        const corner = <usize>n * imageStep + <usize>(y * w.inWidth + x) * pixel;
        // A window wholly in the padding has no largest element.
        if (w.down > 0 && w.across > 0) pixelGradient(w, corner, dy);
        dy += pixel;
      }
    }
  }
}

/** All channels of one window, whose corner inside the image is given. */
function pixelGradient(w: WindowArgs, corner: usize, dy: usize): void {
  const small = w.down == 2 && w.across == 2;
  let c = 0;
  for (; c + 4 <= w.channels; c += 4) {
    const at = corner + (<usize>c << 2);
    if (small) fourGradient(w, at, dy);
    else quadGradient(w, at, dy);
    dy += 16;
  }
  for (; c < w.channels; c++) {
    laneGradient(w, corner + (<usize>c << 2), dy);
    dy += 4;
  }
}

// @ts-ignore: decorator
@inline
function addTo(at: usize, value: v128): void {
  v128.store(at, f32x4.add(v128.load(at), value));
}

/** Four channels of a window of 2 x 2, the usual one, without loops. */
function fourGradient(w: WindowArgs, offset: usize, dy: usize): void {
  const pixel = <usize>w.channels << 2;
  const line = <usize>w.inWidth * pixel;
  const x = w.extra + offset;
  const dx = w.image + offset;
  const x0 = v128.load(x);
  const x1 = v128.load(x + pixel);
  const x2 = v128.load(x + line);
  const x3 = v128.load(x + line + pixel);
  const largest = f32x4.pmax(f32x4.pmax(x0, x1), f32x4.pmax(x2, x3));
  const is0 = f32x4.eq(x0, largest);
  const is1 = f32x4.eq(x1, largest);
  const is2 = f32x4.eq(x2, largest);
  let rest = v128.load(dy);
  addTo(dx, v128.and(rest, is0));
  rest = v128.andnot(rest, is0);
  addTo(dx + pixel, v128.and(rest, is1));
  rest = v128.andnot(rest, is1);
  addTo(dx + line, v128.and(rest, is2));
  rest = v128.andnot(rest, is2);
  addTo(dx + line + pixel, v128.and(rest, f32x4.eq(x3, largest)));
}

/** Four channels: find the largest, then give dy to its first place, lane by lane with masks. */
function quadGradient(w: WindowArgs, offset: usize, dy: usize): void {
  const pixel = <usize>w.channels << 2;
  const line = <usize>w.inWidth * pixel;
  let largest = f32x4.splat(-Infinity);
  for (let i = 0; i < w.down; i++) {
    let x = w.extra + offset + <usize>i * line;
    for (let j = 0; j < w.across; j++) {
      largest = f32x4.pmax(largest, v128.load(x));
      x += pixel;
    }
  }
  let rest = v128.load(dy);
  for (let i = 0; i < w.down; i++) {
    let at = offset + <usize>i * line;
    for (let j = 0; j < w.across; j++) {
      const hit = f32x4.eq(v128.load(w.extra + at), largest);
      addTo(w.image + at, v128.and(rest, hit));
      rest = v128.andnot(rest, hit);
      at += pixel;
    }
  }
}

/** One channel. */
function laneGradient(w: WindowArgs, offset: usize, dy: usize): void {
  const pixel = <usize>w.channels << 2;
  let largest: f32 = -Infinity;
  let place = offset;
  for (let i = 0; i < w.down; i++) {
    let at = offset + <usize>(i * w.inWidth) * pixel;
    for (let j = 0; j < w.across; j++) {
      const value = load<f32>(w.extra + at);
      if (value > largest) {
        largest = value;
        place = at;
      }
      at += pixel;
    }
  }
  store<f32>(w.image + place, load<f32>(w.image + place) + load<f32>(dy));
}
