/** Figures from the times of calls. */

/** What came out of the timed calls of one point, in microseconds. */
export interface Summary {
  readonly minUs: number;
  readonly medianUs: number;
  readonly p99Us: number;
  /**
   * How unequally long the ranks were in a call: the median over the calls of the longest stay
   * less the shortest. All enter together, behind a barrier, so that is how much earlier the
   * first leaves.
   */
  readonly skewUs: number;
  /** Median of each rank's own stay: who leaves early. */
  readonly rankUs: readonly number[];
}

/**
 * The element below which a share of a sorted array lies.
 *
 * @param share 0 … 1, excluding 1
 */
export function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.floor(sorted.length * share)]!;
}

/**
 * The figures of calls; a call's time is that of its slowest rank.
 *
 * @param times of all calls of rank 0, then of all calls of rank 1, and so on
 */
export function summarize(times: Float64Array, ranks: number): Summary {
  const calls = times.length / ranks;
  const slowest = new Float64Array(calls);
  const spread = new Float64Array(calls);
  for (let call = 0; call < calls; call++) {
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (let rank = 0; rank < ranks; rank++) {
      const us = times[rank * calls + call]!;
      least = Math.min(least, us);
      most = Math.max(most, us);
    }
    slowest[call] = most;
    spread[call] = most - least;
  }
  slowest.sort();
  const rankUs = Array.from({ length: ranks }, (_, rank) =>
    quantile(times.slice(rank * calls, (rank + 1) * calls).sort(), 0.5),
  );
  return {
    minUs: slowest[0]!,
    medianUs: quantile(slowest, 0.5),
    p99Us: quantile(slowest, 0.99),
    skewUs: quantile(spread.sort(), 0.5),
    rankUs,
  };
}
