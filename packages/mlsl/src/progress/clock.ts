/** A clock that all threads of a machine read alike: performance.now() begins anew in each thread. */

/** Milliseconds between the kernel's monotonic clock and this thread's performance.now(). */
const OFFSET_MS = monotonicNow() - performance.now();

function monotonicNow(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Milliseconds since some moment that is the same for all threads of the machine; never goes back. */
export function sharedNowMs(): number {
  return performance.now() + OFFSET_MS;
}
