// Sums of integers that need more bits than an element has, one element at a time: averages,
// rounded once, and sums that stop at the limits of their type. They are exact: any order will do.

import { AverageNearest, AverageTruncate } from "./operators";
import { address, ranksOf, sourceCountOf, tableOf, targetCountOf } from "./plan";

// @ts-ignore: decorator
@inline
function storeAll<T>(plan: usize, i: usize, value: T): void {
  const targets = tableOf(plan) + 4 * sourceCountOf(plan);
  for (let t: usize = 0; t < targetCountOf(plan); t++) store<T>(address(targets, t) + i, value);
}

// The whole number that an exact average of floor + rest/n is rounded to, 0 <= rest < n.
// @ts-ignore: decorator
@inline
function rounded<Op>(floor: i64, rest: u64, n: u64, negative: bool): i64 {
  if (idof<Op>() == idof<AverageTruncate>()) return floor + i64(negative && rest != 0);
  if (idof<Op>() == idof<AverageNearest>()) {
    const up = rest + rest > n || (rest + rest == n && (floor & 1) != 0);
    return floor + i64(up);
  }
  return floor;
}

// Up to 32 bits: the sum of up to 2^31 elements fits 64 bits.
// @ts-ignore: decorator
@inline
function averageNarrow<T, Op>(plan: usize, begin: usize, end: usize): void {
  const sources = tableOf(plan);
  const n = ranksOf(plan) as i64;
  for (let i = begin; i < end; i += sizeof<T>()) {
    let sum: i64 = 0;
    for (let s: usize = 0; s < sourceCountOf(plan); s++) {
      sum += load<T>(address(sources, s) + i) as i64;
    }
    let floor = sum / n;
    let rest = sum % n;
    if (rest < 0) {
      rest += n;
      floor--;
    }
    storeAll<T>(plan, i, rounded<Op>(floor, rest, n, sum < 0) as T);
  }
}

// 64 bits: every element is quotient * n + rest with 0 <= rest < n; the sums of both are small. The
// sum of quotients may leave the type's range for a while: modulo 2^64 the result is right.
// @ts-ignore: decorator
@inline
function averageWide<T, Op>(plan: usize, begin: usize, end: usize): void {
  const sources = tableOf(plan);
  const n = ranksOf(plan) as T;
  for (let i = begin; i < end; i += sizeof<T>()) {
    let quotients: T = 0;
    let rests: T = 0;
    for (let s: usize = 0; s < sourceCountOf(plan); s++) {
      const value = load<T>(address(sources, s) + i);
      let rest: T = value % n;
      quotients += value / n;
      if (isSigned<T>() && rest < 0) {
        rest += n;
        quotients--;
      }
      rests += rest;
    }
    const floor: T = quotients + rests / n;
    const negative = isSigned<T>() && floor < 0;
    storeAll<T>(plan, i, rounded<Op>(floor as i64, rests % n, n, negative) as T);
  }
}

// The mean of the sources' elements: their sum, divided by the ranks, rounded as Op says.
export function average<T, Op>(plan: usize, begin: usize, end: usize): void {
  if (sizeof<T>() == 8) averageWide<T, Op>(plan, begin, end);
  else averageNarrow<T, Op>(plan, begin, end);
}

// @ts-ignore: decorator
@inline
function lowest<T>(): T {
  if (isSigned<T>()) return ((1 as i64) << (8 * sizeof<T>() - 1)) as T;
  return 0;
}

// @ts-ignore: decorator
@inline
function highest<T>(): T {
  return ~lowest<T>() as T;
}

// @ts-ignore: decorator
@inline
function saturateNarrow<T>(plan: usize, begin: usize, end: usize): void {
  const sources = tableOf(plan);
  for (let i = begin; i < end; i += sizeof<T>()) {
    let sum: i64 = 0;
    for (let s: usize = 0; s < sourceCountOf(plan); s++) {
      sum += load<T>(address(sources, s) + i) as i64;
    }
    sum = min<i64>(max<i64>(sum, i64(lowest<T>())), i64(highest<T>()));
    storeAll<T>(plan, i, sum as T);
  }
}

// A sum of 128 bits in two words: `low` and what it has carried, `high`.
// @ts-ignore: decorator
@inline
function saturateWide<T>(plan: usize, begin: usize, end: usize): void {
  const sources = tableOf(plan);
  for (let i = begin; i < end; i += sizeof<T>()) {
    let low: u64 = 0;
    let high: i64 = 0;
    for (let s: usize = 0; s < sourceCountOf(plan); s++) {
      const value = load<u64>(address(sources, s) + i);
      low += value;
      high += i64(low < value);
      if (isSigned<T>()) high += (value as i64) >> 63;
    }
    let result = low as T;
    // The sum fits when its upper word only repeats the sign (of unsigned numbers: is zero).
    const fitting: i64 = isSigned<T>() ? (low as i64) >> 63 : 0;
    if (high != fitting) result = high < 0 ? lowest<T>() : highest<T>();
    storeAll<T>(plan, i, result);
  }
}

// The sum of the sources' elements, or the limit of the type that it exceeds.
export function saturatingSum<T>(plan: usize, begin: usize, end: usize): void {
  if (sizeof<T>() == 8) saturateWide<T>(plan, begin, end);
  else saturateNarrow<T>(plan, begin, end);
}
