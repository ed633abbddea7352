/**
 * The few functions that run on the bytes of the segment. There are two implementations, WASM
 * SIMD and a readable plain twin; one test suite runs over both. Arguments are byte offsets into
 * the segment, results are numbers: nothing here allocates.
 */

import type { ExchangeResult } from "./exchangeLayout.js";

/** Codes of the operators in plans and fingerprints; what they do is told in reductions.ts. */
export const OP_CODES = {
  sum: 0,
  average: 1,
  min: 2,
  max: 3,
  product: 4,
  and: 5,
  or: 6,
  xor: 7,
  scaled: 8,
  averageFloor: 9,
  averageTruncate: 10,
  averageNearest: 11,
  saturatingSum: 12,
} as const;

/** What can be computed on a segment. */
export interface Kernels {
  /** Name for diagnostics: "wasm" or "plain". */
  readonly name: string;
  /**
   * Combines bytes [begin, end) of all sources of a plan into all its targets, in the order of
   * the plan's tree; both are multiples of the element. Sources may be targets. The rules of
   * rounding, wrapping and NaN are told in reductions.ts.
   *
   * @throws If the plan's type and operator have no reduction (see `reductionExists`).
   */
  reduce(plan: number, begin: number, end: number): void;
  /**
   * Publishes the request's line once and looks for everybody else's, `spins` times at most.
   * "wake": ranks sleep and must be woken, then call again. "waiting": call again.
   */
  exchange(request: number): ExchangeResult;
  /**
   * {@link exchange}, then the reduction of the payloads' bytes from the request's `begin` to its
   * `end` by its plan.
   */
  exchangeReduce(request: number): ExchangeResult;
  /**
   * {@link exchange}, then copies of the payloads' bytes from the request's `begin` to its `end` into
   * its `recv`, those of the ranks from `first` to before `last`.
   */
  exchangeFetch(request: number): ExchangeResult;
  /** 0 when every rank has reached the phase, 1 when `spins` looks were not enough. */
  awaitPhases(phases: number, ranks: number, phase: number, spins: number): number;
  /** Stores this rank's phase; returns 1 if ranks of the request's group sleep, else 0. */
  advance(phase: number, value: number, request: number): number;
  /** Copies bytes; the areas may overlap. */
  copy(target: number, source: number, byteLength: number): void;
  /**
   * Converts `count` elements of a 16-bit float type to float32, which is exact. NaN stays NaN. The
   * areas must not overlap.
   *
   * @throws If the type of `typeCode` is neither float16 nor bfloat16.
   */
  toFloat32(target: number, source: number, count: number, typeCode: number): void;
  /**
   * Converts `count` elements of float32 to a 16-bit float type: to the nearest, ties to even; what
   * is too large becomes infinity, and every NaN the same one. The areas must not overlap.
   *
   * @throws If the type of `typeCode` is neither float16 nor bfloat16.
   */
  fromFloat32(target: number, source: number, count: number, typeCode: number): void;
}
