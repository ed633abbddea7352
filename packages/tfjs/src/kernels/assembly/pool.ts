// Gradient of max pooling: each output's gradient goes to the first largest element of its window,
// in the order of rows, then columns, as TensorFlow.js has it.
import { WindowArgs } from "./window";

/** Adds dy (`places`) to the image gradient (`image`, zeroed by the caller); `extra` is the input. */
export function maxPoolGradient(at: usize): void {
  const w = changetype<WindowArgs>(at);
  const pixel = <usize>w.channels << 2;
  const quads = w.channels & ~3;
  let dy = w.places;
  for (let n = 0; n < w.batch; n++) {
    const image = <usize>(n * w.inHeight * w.inWidth) * pixel;
    for (let oy = 0; oy < w.outHeight; oy++) {
      const y0 = oy * w.strideHeight - w.padTop;
      const yBegin = max(0, y0);
      const yEnd = min(w.inHeight, y0 + w.filterHeight);
      for (let ox = 0; ox < w.outWidth; ox++) {
        const x0 = ox * w.strideWidth - w.padLeft;
        const corner = image + <usize>(yBegin * w.inWidth + max(0, x0)) * pixel;
        const across = min(w.inWidth, x0 + w.filterWidth) - max(0, x0);
        // A window wholly in the padding has no largest element.
        let c = across > 0 && yEnd > yBegin ? 0 : w.channels;
        const line = <usize>w.inWidth * pixel;
        for (; c < quads; c += 4) {
          const from = corner + (<usize>c << 2);
          quadGradient(w.extra + from, w.image + from, dy + (<usize>c << 2), line, pixel, yEnd - yBegin, across);
        }
        for (; c < w.channels; c++) {
          const from = corner + (<usize>c << 2);
          laneGradient(w.extra + from, w.image + from, dy + (<usize>c << 2), line, pixel, yEnd - yBegin, across);
        }
        dy += pixel;
      }
    }
  }
}

/** Four channels: find the largest, then give dy to its first place, lane by lane with masks. */
function quadGradient(x: usize, dx: usize, dy: usize, line: usize, pixel: usize, down: i32, across: i32): void {
  let largest = f32x4.splat(-Infinity);
  for (let i = 0; i < down; i++) {
    let from = x + <usize>i * line;
    for (let j = 0; j < across; j++) {
      largest = f32x4.pmax(largest, v128.load(from));
      from += pixel;
    }
  }
  let rest = v128.load(dy);
  for (let i = 0; i < down; i++) {
    let offset = <usize>i * line;
    for (let j = 0; j < across; j++) {
      const hit = f32x4.eq(v128.load(x + offset), largest);
      v128.store(dx + offset, f32x4.add(v128.load(dx + offset), v128.and(rest, hit)));
      rest = v128.andnot(rest, hit);
      offset += pixel;
    }
  }
}

/** One channel. */
function laneGradient(x: usize, dx: usize, dy: usize, line: usize, pixel: usize, down: i32, across: i32): void {
  let largest: f32 = -Infinity;
  let place: usize = 0;
  for (let i = 0; i < down; i++) {
    let offset = <usize>i * line;
    for (let j = 0; j < across; j++) {
      const value = load<f32>(x + offset);
      if (value > largest) {
        largest = value;
        place = offset;
      }
      offset += pixel;
    }
  }
  store<f32>(dx + place, load<f32>(dx + place) + load<f32>(dy));
}
