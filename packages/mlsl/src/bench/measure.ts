/**
 * Timing of one workload by all ranks together. Before every call, untimed, every rank writes its
 * inputs anew, and all ranks meet: a gradient is fresh when it is sent, so nothing may profit
 * from data that lie where the last call left them; and no rank, the root of a broadcast first of
 * all, runs ahead. After every call the whole result is checked, untimed as well.
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

/** A fifth of the calls before the timed ones: caches and branch predictors know the size then. */
const WARM_UP_SHARE = 5;

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
  /**
   * Milliseconds that asking the clock adds to each call, see {@link clockCostMs}; taken off.
   *
   * @default 0
   */
  readonly clockMs?: number;
}

type Clock = Pick<MeasureOptions, "nowMs" | "clockMs">;

/** Looks at the clock by which its cost is known: enough that some of them are not disturbed. */
const CLOCK_LOOKS = 20000;

/**
 * What a call that does nothing would seem to take: the least time between two looks at the clock, in
 * milliseconds. In Node.js it is a fifth of a small operation.
 */
export function clockCostMs(nowMs: () => number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < CLOCK_LOOKS; i++) {
    const beganMs = nowMs();
    least = Math.min(least, nowMs() - beganMs);
  }
  return least;
}

/** One round; the time of the call alone. */
function timedCall(
  group: Group,
  workload: Workload,
  round: number,
  clock: Required<Clock>,
): number {
  const { nowMs, clockMs } = clock;
  if (workload.hasInputs) {
    workload.fill(round);
    group.barrierSync();
  }
  const beganMs = nowMs();
  workload.call();
  const tookMs = Math.max(0, nowMs() - beganMs - clockMs);
  workload.check(round);
  return tookMs * 1000;
}

/** Rounds of a workload, one after the other; each gives the time of its call in microseconds. */
function rounds(group: Group, workload: Workload, options: Clock) {
  const { nowMs = () => performance.now(), clockMs = 0 } = options;
  const clock = { nowMs, clockMs };
  let round = 0;
  return (): number => timedCall(group, workload, round++, clock);
}

/** All ranks agree on how many calls a budget holds, from the slowest one's estimate. */
function agreeOnIterations(group: Group, next: () => number, budgetMs: number): number {
  const slowest = new Float64Array([Number.POSITIVE_INFINITY]);
  for (let i = 0; i < ESTIMATE_CALLS; i++) slowest[0] = Math.min(slowest[0]!, next());
  group.allreduceSync(slowest, slowest, { op: "max" });
  const wanted = Math.floor((budgetMs * 1000) / Math.max(slowest[0]!, SHORTEST_US));
  return Math.max(MIN_ITERATIONS, Math.min(MAX_ITERATIONS, wanted));
}

/**
 * Calls a workload without timing it. Sizes take different paths through the code; those of a
 * series are rehearsed before the first of them is timed, so that all paths are known to the
 * compiler. Collective.
 *
 * @param budgetMs of a measurement; a rehearsal takes a fifth of it
 * @throws {Error} If a result is wrong.
 */
export function rehearse(
  group: Group,
  workload: Workload,
  options: Pick<MeasureOptions, "budgetMs"> & Clock,
): void {
  const next = rounds(group, workload, options);
  const calls = agreeOnIterations(group, next, options.budgetMs / WARM_UP_SHARE);
  for (let i = 0; i < calls; i++) next();
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
  options: MeasureOptions,
): Timing | undefined {
  const next = rounds(group, workload, options);
  const iterations = agreeOnIterations(group, next, options.budgetMs);
  for (let i = 0; i < iterations / WARM_UP_SHARE + 2; i++) next();
  const before = options.distanceNs();
  const times = new Float64Array(iterations);
  for (let i = 0; i < iterations; i++) times[i] = next();
  const after = options.distanceNs();
  const all = group.rank === 0 ? new Float64Array(iterations * group.ranks) : undefined;
  group.gatherSync(times, all);
  if (all === undefined) return undefined;
  return { ...summarize(all, group.ranks), iterations, c2cNs: Math.max(before, after) };
}
