// The argument block of every kernel that slides a window over an image [batch, height, width,
// channels]. Pointers in bytes, sizes in elements; a "row" is one place of the window, that is one
// (image, out y, out x) counted in this order.

@unmanaged
export class WindowArgs {
  /** The image or its gradient: [batch, inHeight, inWidth, channels]. */
  image: usize;
  /** What belongs to the window's places: patches, or the gradient of the output. */
  places: usize;
  /** A filter, its gradient, or a pool's output. */
  extra: usize;
  batch: i32;
  inHeight: i32;
  inWidth: i32;
  channels: i32;
  outHeight: i32;
  outWidth: i32;
  filterHeight: i32;
  filterWidth: i32;
  strideHeight: i32;
  strideWidth: i32;
  dilationHeight: i32;
  dilationWidth: i32;
  padTop: i32;
  padLeft: i32;
  /** Rows to work on, for kernels that work in parts. */
  firstRow: i32;
  rows: i32;
  /** Outputs of each channel (depthwise filters). */
  multiplier: i32;
  /** Images from one sample to the next: a part of a batch (batchTree.ts). */
  sampleStep: i32;
  // The room behind is the kernel's own: a line at work, to += from * filter. Steps in bytes; the
  // index of an output is divided to find its channel.
  to: usize;
  toStep: usize;
  toDivisor: i32;
  from: usize;
  fromStep: usize;
  fromDivisor: i32;
  // And the part of a window at work that lies inside the image.
  down: i32;
  across: i32;
}

/** The first out position for which position * stride + offset is not negative. */
export function firstInside(offset: i32, stride: i32): i32 {
  return offset >= 0 ? 0 : (stride - 1 - offset) / stride;
}

/** The first out position, at most `out`, for which position * stride + offset reaches `size`. */
export function endInside(offset: i32, stride: i32, size: i32, out: i32): i32 {
  return offset >= size ? 0 : min(out, (size - 1 - offset) / stride + 1);
}
