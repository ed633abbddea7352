/** A clock that all threads of a machine read alike: performance.now() begins anew in each thread. */

/** So many comparisons of the two clocks: a thread is not interrupted in all of them. */
const COMPARISONS = 10;

/** Milliseconds between the kernel's monotonic clock and this thread's performance.now(). */
const OFFSET_MS = measureOffsetMs();

function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Of several comparisons, the one in which least time passed between the readings. */
function measureOffsetMs(): number {
  let [least, offset] = [Number.POSITIVE_INFINITY, 0];
  for (let i = 0; i < COMPARISONS; i++) {
    const before = performance.now();
    const monotonic = monotonicNow();
    const after = performance.now();
    if (after - before >= least) continue;
    least = after - before;
    offset = monotonic - (before + after) / 2;
  }
  return offset;
}

/** Milliseconds since some moment that is the same for all threads of the machine; never goes back. */
export function sharedNowMs(): number {
  return performance.now() + OFFSET_MS;
}
