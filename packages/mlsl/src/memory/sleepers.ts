/** Wakes ranks that sleep, see requests/rankContext.ts for how they do. */

import { SLEEPERS_OFFSET, WAKES_OFFSET } from "./layout.js";
import type { Parker } from "./parker.js";

/** Wakes those of the host's ranks that sleep; what they wait for was stored before. */
export function wakeRanks(words: Int32Array, parker: Parker, members: readonly number[]): void {
  for (const member of members) {
    // Safe: the caller's data is stored before this load; a sleeper sets its bit before its last
    // look at the data. One of the two sees the other.
    const bits = Atomics.load(words, SLEEPERS_OFFSET / 4 + Math.floor(member / 32));
    if ((bits & (1 << (member % 32))) === 0) continue; // bits: one per rank
    const word = WAKES_OFFSET + 4 * member;
    // Safe: the word changes before the call, so whoever read the old value does not fall asleep.
    Atomics.add(words, word / 4, 1);
    parker.wake(word);
  }
}
