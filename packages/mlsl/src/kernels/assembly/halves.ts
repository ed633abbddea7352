// Numbers of 16 bits to float32 and back, four at a time. Halves stand in 32-bit lanes, upper half
// zero. Rounding is to nearest, ties to even; every NaN becomes one quiet NaN.
//
// float16 = 1 sign, 5 exponent (bias 15), 10 fraction; bfloat16 = the upper half of a float32,
// which is 1, 8 (bias 127), 23. So a float16 shifted up by 13 bits is a float32 whose exponent is
// too small by 127 - 15 = 112.

// Element types without a type of WebAssembly; sizeof does not know them, see lanes.ts.
export class Float16 {}
export class BFloat16 {}

const EXPONENT_GAP: i32 = 112 << 23;

// Shifts up and down again cut bits off without a constant: the loops are short of registers.
// @ts-ignore: decorator
@inline
function fromFloat16(h: v128): v128 {
  const shifted = i32x4.shr_u(i32x4.shl(h, 17), 4);
  const sign = i32x4.shl(i32x4.shr_u(h, 15), 31);
  const gap = i32x4.splat(EXPONENT_GAP);
  // Infinity and NaN have the greatest exponent in both: the gap twice.
  const special = v128.and(i32x4.gt_s(shifted, i32x4.splat(0x7bff << 13)), gap);
  const normal = i32x4.add(i32x4.add(shifted, gap), special);
  // A subnormal's fraction, put behind the bits of 2^-14, is 2^-14 more than its value.
  const smallest = i32x4.splat(113 << 23);
  const subnormal = f32x4.sub(v128.or(shifted, smallest), smallest);
  const isSubnormal = i32x4.lt_s(shifted, i32x4.splat(0x0400 << 13));
  return v128.or(v128.bitselect(subnormal, normal, isSubnormal), sign);
}

// @ts-ignore: decorator
@inline
function toFloat16(f: v128): v128 {
  // What is 2^16 or more, infinity among it, rounds as 2^16 does: to infinity.
  const magnitude = i32x4.min_s(i32x4.shr_u(i32x4.shl(f, 1), 1), i32x4.splat(143 << 23));
  const odd = i32x4.shr_u(i32x4.shl(magnitude, 18), 31);
  // Half of the last place less one, and one more when the last place is odd: ties to even.
  const nearest = i32x4.add(i32x4.add(magnitude, i32x4.splat(0x0fff - EXPONENT_GAP)), odd);
  const normal = i32x4.shr_u(nearest, 13);
  // The last place of 0.5 is 2^-24, as that of subnormals is: the addition rounds.
  const half = f32x4.splat(0.5);
  const subnormal = i32x4.sub(f32x4.add(magnitude, half), half);
  const isSubnormal = i32x4.lt_s(magnitude, i32x4.splat(113 << 23));
  const sign = i32x4.shl(i32x4.shr_u(f, 31), 15);
  const number = v128.or(v128.bitselect(subnormal, normal, isSubnormal), sign);
  return v128.bitselect(i32x4.splat(0x7e00), number, f32x4.ne(f, f));
}

// @ts-ignore: decorator
@inline
function toBFloat16(f: v128): v128 {
  const odd = i32x4.shr_u(i32x4.shl(f, 15), 31);
  const nearest = i32x4.add(i32x4.add(f, i32x4.splat(0x7fff)), odd);
  return v128.bitselect(i32x4.splat(0x7fc0), i32x4.shr_u(nearest, 16), f32x4.ne(f, f));
}

// Halves of 32-bit lanes as float32.
// @ts-ignore: decorator
@inline
export function widen<T>(h: v128): v128 {
  if (idof<T>() == idof<Float16>()) return fromFloat16(h);
  return i32x4.shl(h, 16);
}

// float32 as halves in 32-bit lanes.
// @ts-ignore: decorator
@inline
export function narrow<T>(f: v128): v128 {
  if (idof<T>() == idof<Float16>()) return toFloat16(f);
  return toBFloat16(f);
}
