/**
 * Groups that this rank has left for good. Their memory is given back when nobody can touch it any
 * more: the control block by the rank that took it, once all ranks have left.
 */

import type { Segment } from "../../memory/segment.js";

/** A group that was left. */
interface LeftGroup {
  /** Byte offset of the count of ranks that have left. */
  readonly left: number;
  readonly ranks: number;
  /** Gives the memory back. */
  readonly free: () => void;
}

/** Waits for the others to leave, without holding anything up. */
export class LeftGroups {
  readonly #segment: Segment;
  readonly #groups = new Set<LeftGroup>();

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** Says that this rank has left, and gives memory back as soon as all have. */
  leave(group: LeftGroup): void {
    // Safe: a count that only grows; whoever reads the last increment sees all that was done before.
    Atomics.add(this.#segment.words, group.left / 4, 1);
    this.#groups.add(group);
    this.sweep();
  }

  /** Gives back what all have left by now. */
  sweep(): void {
    for (const group of this.#groups) {
      // Safe: see leave.
      if (Atomics.load(this.#segment.words, group.left / 4) < group.ranks) continue;
      this.#groups.delete(group);
      group.free();
    }
  }
}
