/** Timing of one workload by all ranks together. */

import type { Group } from "../collectives/api.js";
import { coreDistanceNs, type PingPong } from "./coreDistance.js";
import type { Workload } from "./workload.js";

/** Upper and lower bounds of the number of timed calls. */
const MAX_ITERATIONS = 20000;
const MIN_ITERATIONS = 8;
/** Calls whose best time is the estimate from which the number of iterations follows. */
const ESTIMATE_CALLS = 8;

/** What came out. */
export interface Timing {
  readonly iterations: number;
  readonly minUs: number;
  readonly medianUs: number;
  readonly p99Us: number;
  /** The larger of the distances before and after. */
  readonly c2cNs: number;
}

/** How to measure. */
export interface MeasureOptions {
  readonly budgetMs: number;
  /** A barrier, untimed, precedes each call: otherwise the root of a broadcast runs ahead. */
  readonly fenced: boolean;
}

function timeUs(call: () => void): number {
  const beganMs = performance.now();
  call();
  return (performance.now() - beganMs) * 1000;
}

/** All ranks agree on the number of iterations, from the slowest one's estimate. */
function agreeOnIterations(group: Group, workload: Workload, budgetMs: number): number {
  let bestUs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ESTIMATE_CALLS; i++) bestUs = Math.min(bestUs, timeUs(workload.call));
  const slowest = new Float64Array([bestUs]);
  group.allreduceSync(slowest, slowest, { op: "max" });
  const wanted = Math.floor((budgetMs * 1000) / Math.max(slowest[0]!, 0.05));
  return Math.max(MIN_ITERATIONS, Math.min(MAX_ITERATIONS, wanted));
}

/**
 * Checks the first result, warms up, and times each call on every rank; a call's time is that of
 * its slowest rank. Collective.
 *
 * @throws {Error} If the result is wrong.
 */
export function measure(
  group: Group,
  workload: Workload,
  pingPong: PingPong,
  { budgetMs, fenced }: MeasureOptions,
): Timing {
  workload.fill();
  group.barrierSync();
  workload.call();
  workload.check();
  workload.clear();
  group.barrierSync();
  const iterations = agreeOnIterations(group, workload, budgetMs);
  for (let i = 0; i < iterations / 5 + 2; i++) workload.call();
  const before = coreDistanceNs(group, pingPong);
  const times = new Float64Array(iterations);
  group.barrierSync();
  for (let i = 0; i < iterations; i++) {
    if (fenced) group.barrierSync();
    times[i] = timeUs(workload.call);
  }
  const after = coreDistanceNs(group, pingPong);
  group.allreduceSync(times, times, { op: "max" });
  times.sort();
  return {
    iterations,
    minUs: times[0]!,
    medianUs: times[Math.floor(iterations / 2)]!,
    p99Us: times[Math.floor(iterations * 0.99)]!,
    c2cNs: Math.max(before, after),
  };
}
