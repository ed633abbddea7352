/**
 * How a rank sleeps until another wakes it. The word slept on is in the segment; between threads
 * JavaScript's own wait works, between processes only the kernel's futex does.
 */

import type { Native } from "./native.js";

/** Sleeping and waking on a 32-bit word of the segment. */
export interface Parker {
  /**
   * Sleeps while the word holds `expected`, at most `timeoutMs`. May return early for no reason:
   * callers look again.
   */
  sleep(byteOffset: number, expected: number, timeoutMs: number): void;
  /** Wakes everybody who sleeps on the word. */
  wake(byteOffset: number): void;
  /** Lets another thread that waits for this one's core run first; absent where that is not known. */
  readonly giveWay: (() => void) | undefined;
}

/** For ranks that are threads of one process. */
export function threadParker(words: Int32Array, native: Native | undefined): Parker {
  return {
    giveWay: native && (() => native.schedYield()),
    sleep(byteOffset, expected, timeoutMs) {
      // Safe: returns at once if the word has changed since the caller read it, so a wake that
      // came in between is not lost.
      Atomics.wait(words, byteOffset / 4, expected, timeoutMs);
    },
    wake(byteOffset) {
      // Safe: callers change the word before they wake, so nobody falls asleep on the old value.
      Atomics.notify(words, byteOffset / 4);
    },
  };
}

/** For ranks that are processes: the same by the kernel's futex on the mapped page. */
export function processParker(native: Native, words: Int32Array): Parker {
  const base = native.addressOf(words);
  return {
    giveWay: () => native.schedYield(),
    sleep(byteOffset, expected, timeoutMs) {
      native.futexWait(base + BigInt(byteOffset), expected, timeoutMs);
    },
    wake(byteOffset) {
      native.futexWake(base + BigInt(byteOffset));
    },
  };
}
