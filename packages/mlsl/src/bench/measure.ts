/**
 * Timing of one workload by all ranks together. Before every call, untimed, every rank writes its
 * inputs anew, and all ranks meet: a gradient is fresh when it is sent, so nothing may profit from data
 * that lie where the last call left them; and no rank, the root of a broadcast first of all, runs
 * ahead. After every call the whole result is checked, untimed as well.
 */

import type { Group } from "../collectives/api.js";
import { type Summary, summarize } from "./statistics.js";
import type { Workload } from "./workload.js";

/** Upper and lower bounds of the number of timed calls. */
const MAX_ITERATIONS = 20000;
const MIN_ITERATIONS = 8;
/** Calls whose best time is the estimate from which the number of iterations follows. */
const ESTIMATE_CALLS = 8;
/** A quarter of the smallest time that a call was seen to take; keeps the estimate off zero. */
const SHORTEST_US = 0.05;

/** What came out. */
export interface Timing extends Summary {
  readonly iterations: number;
  /** The larger of the distances before and after. */
  readonly c2cNs: number;
}

/** How to measure. */
export interface MeasureOptions {
  readonly budgetMs: number;
  /** The cores' distance just now, see coreDistance.ts. Collective. */
  readonly distanceNs: () => number;
  /** @default performance.now */
  readonly nowMs?: () => number;
}

/** One round; the time of the call alone. */
function timedCall(group: Group, workload: Workload, round: number, nowMs: () => number): number {
  if (workload.hasInputs) {
    workload.fill(round);
    group.barrierSync();
  }
  const beganMs = nowMs();
  workload.call();
  const tookMs = nowMs() - beganMs;
  workload.check(round);
  return tookMs * 1000;
}

/** All ranks agree on the number of iterations, from the slowest one's estimate. */
function agreeOnIterations(group: Group, bestUs: number, budgetMs: number): number {
  const slowest = new Float64Array([bestUs]);
  group.allreduceSync(slowest, slowest, { op: "max" });
  const wanted = Math.floor((budgetMs * 1000) / Math.max(slowest[0]!, SHORTEST_US));
  return Math.max(MIN_ITERATIONS, Math.min(MAX_ITERATIONS, wanted));
}

/**
 * Warms up and times calls on every rank. Collective.
 *
 * @returns on rank 0 the figures, elsewhere undefined
 * @throws {Error} If a result is wrong.
 */
export function measure(
  group: Group,
  workload: Workload,
  { budgetMs, distanceNs, nowMs = () => performance.now() }: MeasureOptions,
): Timing | undefined {
  let round = 0;
  const next = (): number => timedCall(group, workload, round++, nowMs);
  let bestUs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ESTIMATE_CALLS; i++) bestUs = Math.min(bestUs, next());
  const iterations = agreeOnIterations(group, bestUs, budgetMs);
  for (let i = 0; i < iterations / 5 + 2; i++) next();
  const before = distanceNs();
  const times = new Float64Array(iterations);
  for (let i = 0; i < iterations; i++) times[i] = next();
  const after = distanceNs();
  const all = group.rank === 0 ? new Float64Array(iterations * group.ranks) : undefined;
  group.gatherSync(times, all);
  if (all === undefined) return undefined;
  return { ...summarize(all, group.ranks), iterations, c2cNs: Math.max(before, after) };
}
