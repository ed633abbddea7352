/** Where the time of a request went. */

/**
 * Where the time of a request's last start went, in milliseconds. A request that is carried out by
 * the rank's own thread knows its exposed time only; the other numbers are 0 then.
 */
export interface RequestStatistics {
  /** It had been started, or all were ready, but other requests came first. */
  readonly queuedMs: number;
  /** Until all ranks of the group were known to have started it. */
  readonly waitingMs: number;
  /** From its first chunk to its last, without the time of kernels. */
  readonly movingMs: number;
  /** In kernels that combine or copy. */
  readonly reducingMs: number;
  /** This rank's thread was held in a wait for it. */
  readonly exposedMs: number;
  /** The rest of the time from its start to its end: the rank could do something else. */
  readonly hiddenMs: number;
}

/** Of a request that progress workers know nothing of. */
export function inlineStatistics(exposedMs: number): RequestStatistics {
  return { queuedMs: 0, waitingMs: 0, movingMs: 0, reducingMs: 0, exposedMs, hiddenMs: 0 };
}

/** Of several requests together. */
export function sumOf(all: readonly RequestStatistics[]): RequestStatistics {
  const sum = (of: keyof RequestStatistics) => all.reduce((total, one) => total + one[of], 0);
  return {
    queuedMs: sum("queuedMs"),
    waitingMs: sum("waitingMs"),
    movingMs: sum("movingMs"),
    reducingMs: sum("reducingMs"),
    exposedMs: sum("exposedMs"),
    hiddenMs: sum("hiddenMs"),
  };
}
