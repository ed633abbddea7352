/**
 * The order in which the contributions of ranks are combined: as a tree that deals them as cards,
 *
 *     f(S) = S[0]                                          one rank
 *     f(S) = f(S[0], S[2], S[4], …) + f(S[1], S[3], …)     several
 *
 * so 2 ranks are r0 + r1, 4 are (r0 + r2) + (r1 + r3), 3 are (r0 + r2) + r1. It depends on the number
 * of ranks alone. Why not from left to right: samples are dealt to ranks in the same way, so n ranks
 * combine their parts of a batch exactly as n/2 ranks do that have two of these parts each and sum
 * them by the same rule. Training then has the same bits on 1, 2, 4 or 8 ranks.
 */

/** One rank's turn: load its value, then combine it with so many values that wait, the last first. */
export interface TreeStep {
  readonly rank: number;
  readonly merges: number;
}

function append(steps: TreeStep[], ranks: readonly number[], merges: number): void {
  if (ranks.length === 1) {
    steps.push({ rank: ranks[0]!, merges });
    return;
  }
  append(
    steps,
    ranks.filter((_, i) => i % 2 === 0),
    0,
  );
  append(
    steps,
    ranks.filter((_, i) => i % 2 === 1),
    merges + 1,
  );
}

/** The turns of `ranks` ranks, in order. What has had its turn and is not combined yet waits. */
export function reductionTree(ranks: number): TreeStep[] {
  const steps: TreeStep[] = [];
  append(
    steps,
    Array.from({ length: ranks }, (_, rank) => rank),
    0,
  );
  return steps;
}

/**
 * Most values that wait at a time, up to 64 ranks: one for each level of the tree. The kernels keep
 * room for so many cache lines.
 */
export const MAX_WAITING = 6;
