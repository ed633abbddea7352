/**
 * The few functions that run on the bytes of the segment. There are two implementations, WASM
 * SIMD and a readable plain twin; one test suite runs over both. Arguments are byte offsets into
 * the segment, results are numbers: nothing here allocates.
 */

import type { ExchangeResult } from "./exchangeLayout.js";

/** Codes of the operators in plans and fingerprints. */
export const OP_CODES = { sum: 0, average: 1, min: 2, max: 3 } as const;

/** What can be computed on a segment. */
export interface Kernels {
  /** Name for diagnostics: "wasm" or "plain". */
  readonly name: string;
  /**
   * Combines bytes [begin, end) of all sources of a plan into all its targets, in the order of
   * the plan's tree. Sources may be targets. NaN propagates in min and max; an average is the sum,
   * divided once.
   */
  reduce(plan: number, begin: number, end: number): void;
  /**
   * Publishes the request's line once and looks for everybody else's, `spins` times at most.
   * "wake": ranks sleep and must be woken, then call again. "waiting": call again.
   */
  exchange(request: number): ExchangeResult;
  /**
   * {@link exchange}, then the reduction of the payloads' bytes from the request's `begin` to its
   * `end` into its `recv`.
   */
  exchangeReduce(request: number): ExchangeResult;
  /** 0 when every rank has reached the phase, 1 when `spins` looks were not enough. */
  awaitPhases(phases: number, ranks: number, phase: number, spins: number): number;
  /** Stores this rank's phase; returns 1 if ranks of the request's group sleep, else 0. */
  advance(phase: number, value: number, request: number): number;
  /** Copies bytes; the areas may overlap. */
  copy(target: number, source: number, byteLength: number): void;
}
