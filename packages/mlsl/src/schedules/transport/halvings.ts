/**
 * Recursive halving: in each round a member gives its partner the half of a range that the
 * partner's side is to have, and combines the other half, until each has one part in as many as
 * there are members.
 *
 * Source: R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004.
 */

import { type Fold, partnerOf, rankOfMember } from "./fold.js";

/** Elements [begin, end) of a vector. */
export interface Range {
  readonly begin: number;
  readonly end: number;
}

/** One round of the halving: with whom, which part stays here and which goes there. */
export interface Halving {
  readonly peer: number;
  /** Whether this member's side is the one of the higher ranks. */
  readonly above: boolean;
  readonly kept: Range;
  readonly given: Range;
}

/** Where the parts begin; that of part `fold.size` is the end of the vector. */
export type PartStart = (part: number) => number;

/**
 * Nearest partners first: contributions are combined in the order of the ranks, and a member ends
 * with the part whose number has the bits of its own backwards.
 */
export function halvingsByNearest(fold: Fold, member: number, start: PartStart): Halving[] {
  const rounds: Halving[] = [];
  let first = 0;
  for (let distance = 1; distance < fold.size; distance *= 2) {
    const parts = fold.size / (2 * distance);
    const { partner, above } = partnerOf(member, distance);
    const lower = { begin: start(first), end: start(first + parts) };
    const upper = { begin: lower.end, end: start(first + 2 * parts) };
    const [kept, given] = above ? [upper, lower] : [lower, upper];
    rounds.push({ peer: rankOfMember(fold, partner), above, kept, given });
    if (above) first += parts;
  }
  return rounds;
}

/** Furthest partners first: a member ends with the part of its own number. */
export function halvingsByFurthest(fold: Fold, member: number, start: PartStart): Halving[] {
  const rounds: Halving[] = [];
  for (let distance = fold.size / 2; distance >= 1; distance /= 2) {
    const { partner, above } = partnerOf(member, distance);
    const rangeOf = (one: number): Range => {
      const first = one - (one % distance);
      return { begin: start(first), end: start(first + distance) };
    };
    const peer = rankOfMember(fold, partner);
    rounds.push({ peer, above, kept: rangeOf(member), given: rangeOf(partner) });
  }
  return rounds;
}

/** A number below the power of two `size` with its bits backwards. */
export function bitsBackwards(number: number, size: number): number {
  let backwards = 0;
  for (let bit = 1; bit < size; bit *= 2) {
    if (Math.floor(number / bit) % 2 === 1) backwards += size / (2 * bit);
  }
  return backwards;
}
