// Sums over the middle of [outer, middle, inner], for bias gradients, batch norm and gathers.
import { addFloats, scaleFloats, zeroFloats } from "./floats";

@unmanaged
class SumArgs {
  x: usize;
  y: usize;
  outer: i32;
  middle: i32;
  inner: i32;
  scale: f32;
}

/** Rows summed in registers before they are added to the total: two levels keep rounding small. */
const ROWS_AT_ONCE: i32 = 64;

/** y[outer, inner] = scale * sum over middle of x[outer, middle, inner]. */
export function sumMiddle(at: usize): void {
  const args = changetype<SumArgs>(at);
  const step = <usize>args.inner << 2;
  for (let o = 0; o < args.outer; o++) {
    const y = args.y + <usize>o * step;
    zeroFloats(y, args.inner);
    for (let row = 0; row < args.middle; row += ROWS_AT_ONCE) {
      const rows = min(ROWS_AT_ONCE, args.middle - row);
      addRows(args.x + <usize>(o * args.middle + row) * step, y, rows, args.inner);
    }
    if (args.scale != 1) scaleFloats(y, args.inner, args.scale);
  }
}

function addRows(x: usize, y: usize, rows: i32, inner: i32): void {
  const step = <usize>inner << 2;
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
