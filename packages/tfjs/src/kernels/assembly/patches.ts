// Convolution as a matrix product: a row of the patch matrix holds what the window sees at one
// place, [filterHeight, filterWidth, channels]. Rows are made in blocks that stay in the cache.
import { addFloats, copyFloats, zeroFloats } from "./floats";
import { WindowArgs } from "./window";

// @ts-ignore: decorator
@inline
function inside(position: i32, size: i32): bool {
  return <u32>position < <u32>size;
}

/**
 * Writes rows [firstRow, firstRow + rows) of the patches to `places`; zeros outside the image. The
 * rows are counted over the images in steps of `sampleStep`.
 */
export function imageToPatches(at: usize): void {
  const w = changetype<WindowArgs>(at);
  const pixel = <usize>w.channels << 2;
  const run = w.filterWidth * w.channels;
  let to = w.places;
  const imageStep = <usize>(w.sampleStep * w.inHeight * w.inWidth) * pixel;
  const line = w.firstRow / w.outWidth;
  let image = w.image + <usize>(line / w.outHeight) * imageStep;
  let oy = line % w.outHeight;
  let ox = w.firstRow % w.outWidth;
  for (let row = w.firstRow, end = row + w.rows; row < end; row++) {
    if (ox == w.outWidth) {
      ox = 0;
      if (++oy == w.outHeight) {
        oy = 0;
        image += imageStep;
      }
    }
    const x0 = ox++ * w.strideWidth - w.padLeft;
    const y0 = oy * w.strideHeight - w.padTop;
    const whole = w.dilationWidth == 1 && x0 >= 0 && x0 + w.filterWidth <= w.inWidth;
    for (let ky = 0; ky < w.filterHeight; ky++) {
      const y = y0 + ky * w.dilationHeight;
      const from = image + <usize>(y * w.inWidth) * pixel;
      if (!inside(y, w.inHeight)) {
        zeroFloats(to, run);
        to += <usize>run << 2;
      } else if (whole) {
        copyFloats(to, from + <usize>x0 * pixel, run);
        to += <usize>run << 2;
      } else {
        for (let kx = 0; kx < w.filterWidth; kx++) {
          const x = x0 + kx * w.dilationWidth;
          if (inside(x, w.inWidth)) copyFloats(to, from + <usize>x * pixel, w.channels);
          else zeroFloats(to, w.channels);
          to += pixel;
        }
      }
    }
  }
}

/** Adds rows [firstRow, firstRow + rows) of a patch matrix onto the image they were seen in. */
export function addPatchesToImage(at: usize): void {
  const w = changetype<WindowArgs>(at);
  const pixel = <usize>w.channels << 2;
  const run = w.filterWidth * w.channels;
  let from = w.places;
  const imageStep = <usize>(w.inHeight * w.inWidth) * pixel;
  const line = w.firstRow / w.outWidth;
  let image = w.image + <usize>(line / w.outHeight) * imageStep;
  let oy = line % w.outHeight;
  let ox = w.firstRow % w.outWidth;
  for (let row = w.firstRow, end = row + w.rows; row < end; row++) {
    if (ox == w.outWidth) {
      ox = 0;
      if (++oy == w.outHeight) {
        oy = 0;
        image += imageStep;
      }
    }
    const x0 = ox++ * w.strideWidth - w.padLeft;
    const y0 = oy * w.strideHeight - w.padTop;
    const whole = w.dilationWidth == 1 && x0 >= 0 && x0 + w.filterWidth <= w.inWidth;
    for (let ky = 0; ky < w.filterHeight; ky++) {
      const y = y0 + ky * w.dilationHeight;
      if (inside(y, w.inHeight)) {
        const to = image + <usize>(y * w.inWidth) * pixel;
        if (whole) {
          addFloats(to + <usize>x0 * pixel, from, run);
        } else {
          for (let kx = 0; kx < w.filterWidth; kx++) {
            const x = x0 + kx * w.dilationWidth;
            if (!inside(x, w.inWidth)) continue;
            addFloats(to + <usize>x * pixel, from + <usize>kx * pixel, w.channels);
          }
        }
      }
      from += <usize>run << 2;
    }
  }
}
