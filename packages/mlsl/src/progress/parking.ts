/** How a progress worker sleeps, and how its rank and its peers wake it. */

import type { Parker } from "../memory/parker.js";
import { WORKER_WORD } from "./workerBlock.js";

/** Sleeps until somebody wakes this worker, at most `timeoutMs`; may return early for no reason. */
export function sleepWorker(
  words: Int32Array,
  parker: Parker,
  block: number,
  { hasWork, timeoutMs }: { readonly hasWork: () => boolean; readonly timeoutMs: number },
): void {
  const line = block / 4;
  // Safe: the word is read before the worker says that it sleeps, and work is looked for after that.
  // Whoever brings work later sees the flag and changes the word, so the sleep returns at once.
  const before = Atomics.load(words, line + WORKER_WORD.wake);
  Atomics.store(words, line + WORKER_WORD.asleep, 1);
  if (!hasWork()) parker.sleep(block + 4 * WORKER_WORD.wake, before, timeoutMs);
  // Safe: whoever wakes may have set it to 0 already; nobody else sets it to 1.
  Atomics.store(words, line + WORKER_WORD.asleep, 0);
}

/** Wakes a worker that sleeps; what it is to do was published before. */
export function wakeWorker(words: Int32Array, parker: Parker, block: number): void {
  const line = block / 4;
  // Safe: the work is stored before this load, and the worker looks for work after it has set the
  // flag: one of the two sees the other. Of several that wake it, one makes the call.
  if (Atomics.load(words, line + WORKER_WORD.asleep) === 0) return;
  if (Atomics.exchange(words, line + WORKER_WORD.asleep, 0) === 0) return;
  Atomics.add(words, line + WORKER_WORD.wake, 1);
  parker.wake(block + 4 * WORKER_WORD.wake);
}
