/** What all groups of a rank share. */

import type { Kernels } from "../../kernels/kernels.js";
import { SLEEPERS_OFFSET, WAKES_OFFSET } from "../../memory/layout.js";
import type { Segment } from "../../memory/segment.js";
import { wakeRanks } from "../../memory/sleepers.js";
import { Reclaimers } from "./reclaimers.js";

/** A rank's memory and its ways to sleep and to wake others. */
export interface RankContext {
  readonly segment: Segment;
  readonly kernels: Kernels;
  /** Whether ranks must share cores: they then sleep instead of spinning. */
  readonly crowded: boolean;
  /** Those that can give memory of this rank back when it is short. */
  readonly reclaimers: Reclaimers;
  /** Wakes those of the host's ranks that sleep. */
  wake(members: readonly number[]): void;
  /**
   * Sleeps until another rank wakes this one, at most `timeoutMs`.
   *
   * @param isOver looked at after this rank has said that it sleeps: what peers do before they see
   *   that is seen here, what they do later wakes this rank
   */
  sleep(isOver: () => boolean, timeoutMs: number): void;
}

/** The context of a rank of a segment. */
export function rankContext(
  parts: Pick<RankContext, "segment" | "kernels" | "crowded">,
): RankContext {
  const { words, parker, rank } = parts.segment;
  const sleepers = SLEEPERS_OFFSET / 4;
  const own = sleepers + Math.floor(rank / 32);
  const bit = 1 << (rank % 32); // bits: one per rank
  const ownWake = WAKES_OFFSET + 4 * rank;

  function wake(members: readonly number[]): void {
    wakeRanks(words, parker, members);
  }

  function sleep(isOver: () => boolean, timeoutMs: number): void {
    // Safe: the word is read before this rank says that it sleeps, and isOver looks after that.
    // Whoever comes later sees the bit and changes the word, so the sleep returns at once.
    const before = Atomics.load(words, ownWake / 4);
    Atomics.or(words, own, bit);
    try {
      if (!isOver()) parker.sleep(ownWake, before, timeoutMs);
    } finally {
      // Safe: only this rank changes its bit.
      Atomics.and(words, own, ~bit); // bits: one per rank
    }
  }

  return { ...parts, reclaimers: new Reclaimers(), wake, sleep };
}
