// Sums over the middle of [outer, middle, inner], for bias gradients, batch norm and gathers.
import { addFloats, scaleFloats, zeroFloats } from "./floats";

@unmanaged
class SumArgs {
  x: usize;
  y: usize;
  outer: i32;
  middle: i32;
  inner: i32;
  /** The middle is so many samples of equal size. */
  samples: i32;
  /** Room for `inner` floats a level of the tree. */
  scratch: usize;
  scale: f32;
}

/** Rows summed in registers before they are added to the total: two levels keep rounding small. */
const ROWS_AT_ONCE: i32 = 64;
/** Samples that are added in order: LEAF_SAMPLES of batchTree.ts. */
const LEAF_SAMPLES: i32 = 16;

/** y[outer, inner] = scale * sum over middle of x[outer, middle, inner]. */
export function sumMiddle(at: usize): void {
  const args = changetype<SumArgs>(at);
  const step = <usize>args.inner << 2;
  for (let o = 0; o < args.outer; o++) {
    const y = args.y + <usize>o * step;
    const x = args.x + <usize>(o * args.middle) * step;
    sumSamples(args, x, 1, args.samples, y, args.scratch);
    if (args.scale != 1) scaleFloats(y, args.inner, args.scale);
  }
}

/**
 * y = sum of samples from x on in steps of `step`, as the tree of batchTree.ts.
 * parameters: a set of samples, where its sum goes, and the room for those that wait.
 */
function sumSamples(
  args: SumArgs, x: usize, step: i32, samples: i32, y: usize, spare: usize,
): void {
  const row = <usize>args.inner << 2;
  const unit = args.middle / args.samples;
  if (samples > LEAF_SAMPLES) {
    const odd = x + <usize>(step * unit) * row;
    sumSamples(args, x, 2 * step, (samples + 1) / 2, y, spare);
    sumSamples(args, odd, 2 * step, samples / 2, spare, spare + row);
    addFloats(y, spare, args.inner);
    return;
  }
  zeroFloats(y, args.inner);
  if (unit == 1) {
    addRows(x, <usize>step * row, y, samples, args.inner);
    return;
  }
  for (let sample = 0; sample < samples; sample++) {
    const from = x + <usize>(sample * step * unit) * row;
    for (let first = 0; first < unit; first += ROWS_AT_ONCE) {
      const rows = min(ROWS_AT_ONCE, unit - first);
      addRows(from + <usize>first * row, row, y, rows, args.inner);
    }
  }
}

/**
 * y += rows of x, `step` bytes apart.
 * parameters: a strided operand and the sizes.
 */
function addRows(x: usize, step: usize, y: usize, rows: i32, inner: i32): void {
  let c = 0;
  for (; c + 16 <= inner; c += 16) {
    let s0 = f32x4.splat(0);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    let from = x + (<usize>c << 2);
    for (let i = 0; i < rows; i++) {
      s0 = f32x4.add(s0, v128.load(from));
      s1 = f32x4.add(s1, v128.load(from, 16));
      s2 = f32x4.add(s2, v128.load(from, 32));
      s3 = f32x4.add(s3, v128.load(from, 48));
      from += step;
    }
    const to = y + (<usize>c << 2);
    v128.store(to, f32x4.add(v128.load(to), s0));
    v128.store(to, f32x4.add(v128.load(to, 16), s1), 16);
    v128.store(to, f32x4.add(v128.load(to, 32), s2), 32);
    v128.store(to, f32x4.add(v128.load(to, 48), s3), 48);
  }
  for (; c + 4 <= inner; c += 4) {
    let sum = f32x4.splat(0);
    let from = x + (<usize>c << 2);
    for (let i = 0; i < rows; i++) {
      sum = f32x4.add(sum, v128.load(from));
      from += step;
    }
    const to = y + (<usize>c << 2);
    v128.store(to, f32x4.add(v128.load(to), sum));
  }
  for (; c < inner; c++) {
    let sum: f32 = 0;
    let from = x + (<usize>c << 2);
    for (let i = 0; i < rows; i++) {
      sum += load<f32>(from);
      from += step;
    }
    const to = y + (<usize>c << 2);
    store<f32>(to, load<f32>(to) + sum);
  }
}

@unmanaged
class SegmentArgs {
  x: usize;
  ids: usize;
  y: usize;
  rows: i32;
  inner: i32;
  segments: i32;
}

/** y[segments, inner] = sums of the rows of x by id; ids outside [0, segments) are left out. */
export function sumSegments(at: usize): void {
  const args = changetype<SegmentArgs>(at);
  const step = <usize>args.inner << 2;
  for (let i = 0; i < args.segments; i++) zeroFloats(args.y + <usize>i * step, args.inner);
  for (let i = 0; i < args.rows; i++) {
    const id = load<i32>(args.ids + (<usize>i << 2));
    if (<u32>id >= <u32>args.segments) continue;
    addFloats(args.y + <usize>id * step, args.x + <usize>i * step, args.inner);
  }
}

@unmanaged
class AddArgs {
  to: usize;
  from: usize;
  count: i32;
}

/** to[0..count) += from[0..count). */
export function addFloatsTo(at: usize): void {
  const args = changetype<AddArgs>(at);
  addFloats(args.to, args.from, args.count);
}
