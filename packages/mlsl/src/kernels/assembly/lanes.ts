// Elements of a type T in vectors: how they are read, combined and written. A vector holds 16 bytes
// of elements, or four halves (see halves.ts) as float32, in which they are combined.

import { narrow, widen } from "./halves";
import { And, Average, Max, Min, Or, Product, Scaled, Xor } from "./operators";
import { postOf, preOf, ranksOf } from "./plan";

// The four vectors of a block, as types: the offset of a load must be a constant of the compiler,
// and offsetof<V>() is their number.
// @ts-ignore: decorator
@unmanaged
export class V0 {}
// @ts-ignore: decorator
@unmanaged
export class V1 extends V0 {
  one: u8;
}
// @ts-ignore: decorator
@unmanaged
export class V2 extends V1 {
  two: u8;
}
// @ts-ignore: decorator
@unmanaged
export class V3 extends V2 {
  three: u8;
}

// @ts-ignore: decorator
@inline
export function elementBytes<T>(): usize {
  if (isReference<T>()) return 2;
  return sizeof<T>();
}

// Bytes of four vectors: one cache line (of halves half a line), and enough independent operations
// to hide their latency.
// @ts-ignore: decorator
@inline
export function blockBytes<T>(): usize {
  if (isReference<T>()) return 32;
  return 64;
}

// @ts-ignore: decorator
@inline
export function loadVector<T, V>(p: usize): v128 {
  if (isReference<T>()) return widen<T>(v128.load_ext<u16>(p, 8 * offsetof<V>()));
  return v128.load(p, 16 * offsetof<V>());
}

// A vector as it is stored: halves in its lower 8 bytes.
// @ts-ignore: decorator
@inline
export function pack<T>(v: v128): v128 {
  if (isReference<T>()) {
    const halves = narrow<T>(v);
    return i16x8.narrow_i32x4_u(halves, halves);
  }
  return v;
}

// @ts-ignore: decorator
@inline
export function storeVector<T, V>(p: usize, v: v128): void {
  if (isReference<T>()) v128.store_lane<u64>(p, v, 0, 8 * offsetof<V>());
  else v128.store(p, v, 16 * offsetof<V>());
}

// One element, in every lane.
// @ts-ignore: decorator
@inline
export function loadElement<T>(p: usize): v128 {
  if (isReference<T>()) return widen<T>(i32x4.splat(load<u16>(p)));
  return v128.load_splat<T>(p);
}

// @ts-ignore: decorator
@inline
export function storeElement<T>(p: usize, v: v128): void {
  if (isReference<T>()) v128.store_lane<u16>(p, v, 0);
  else v128.store_lane<T>(p, v, 0);
}

// Which lanes of a are less than those of b; WebAssembly has this for signed numbers only.
// @ts-ignore: decorator
@inline
function lessThan64<T>(a: v128, b: v128): v128 {
  if (isSigned<T>()) return i64x2.lt_s(a, b);
  const flip = i64x2.splat(i64.MIN_VALUE);
  return i64x2.lt_s(v128.xor(a, flip), v128.xor(b, flip));
}

// Products of even and odd bytes in lanes of 16 bits: WebAssembly multiplies no bytes.
// @ts-ignore: decorator
@inline
function multiplyBytes(a: v128, b: v128): v128 {
  const even = v128.and(i16x8.mul(a, b), i16x8.splat(0x00ff));
  const odd = i16x8.mul(i16x8.shr_u(a, 8), v128.andnot(b, i16x8.splat(0x00ff)));
  return v128.or(even, odd);
}

// @ts-ignore: decorator
@inline
function combineLanes<T, Op>(a: v128, b: v128): v128 {
  // min and max of WebAssembly return NaN when either side is NaN, and order -0 below +0.
  if (idof<Op>() == idof<Min>()) {
    if (isInteger<T>() && sizeof<T>() == 8) return v128.bitselect(a, b, lessThan64<T>(a, b));
    return v128.min<T>(a, b);
  }
  if (idof<Op>() == idof<Max>()) {
    if (isInteger<T>() && sizeof<T>() == 8) return v128.bitselect(b, a, lessThan64<T>(a, b));
    return v128.max<T>(a, b);
  }
  if (idof<Op>() == idof<Product>()) {
    if (sizeof<T>() == 1) return multiplyBytes(a, b);
    return v128.mul<T>(a, b);
  }
  if (idof<Op>() == idof<And>()) return v128.and(a, b);
  if (idof<Op>() == idof<Or>()) return v128.or(a, b);
  if (idof<Op>() == idof<Xor>()) return v128.xor(a, b);
  return v128.add<T>(a, b);
}

// @ts-ignore: decorator
@inline
export function combine<T, Op>(a: v128, b: v128): v128 {
  if (isReference<T>()) return combineLanes<f32, Op>(a, b);
  return combineLanes<T, Op>(a, b);
}

// A factor in the lanes of T, rounded to them.
// @ts-ignore: decorator
@inline
function splatFactor<T>(factor: f64): v128 {
  if (isReference<T>()) return f32x4.splat(factor as f32);
  if (isFloat<T>()) return v128.splat<T>(factor as T);
  return i64x2.splat(0);
}

// What a plan says of multiplying and dividing, for the operators that do.
// @ts-ignore: decorator
@inline
export function divisor<T>(plan: usize): v128 {
  return splatFactor<T>(ranksOf(plan) as f64);
}
// @ts-ignore: decorator
@inline
export function pre<T>(plan: usize): v128 {
  return splatFactor<T>(preOf(plan));
}
// @ts-ignore: decorator
@inline
export function post<T>(plan: usize): v128 {
  return splatFactor<T>(postOf(plan));
}

// @ts-ignore: decorator
@inline
function multiply<T>(v: v128, factor: v128): v128 {
  if (isReference<T>()) return f32x4.mul(v, factor);
  return v128.mul<T>(v, factor);
}

// @ts-ignore: decorator
@inline
function divide<T>(v: v128, by: v128): v128 {
  if (isReference<T>()) return f32x4.div(v, by);
  return v128.div<T>(v, by);
}

// What a source contributes.
// @ts-ignore: decorator
@inline
export function contribution<T, Op>(v: v128, factor: v128): v128 {
  if (idof<Op>() == idof<Scaled>()) return multiply<T>(v, factor);
  return v;
}

// @ts-ignore: decorator
@inline
function result<T, Op>(v: v128, by: v128, factor: v128): v128 {
  if (idof<Op>() == idof<Average>()) return divide<T>(v, by);
  if (idof<Op>() == idof<Scaled>()) return multiply<T>(divide<T>(v, by), factor);
  return v;
}

// The result, from what the tree has combined, as it is stored.
// @ts-ignore: decorator
@inline
export function finish<T, Op>(v: v128, by: v128, factor: v128): v128 {
  return pack<T>(result<T, Op>(v, by, factor));
}
