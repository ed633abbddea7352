/**
 * Algorithms that double need a power of two of ranks. With more, the first few ranks pair up: the
 * odd one of a pair (the guest) gives its data to the even one (its keeper), who takes part for
 * both, and receives the result from it in the end. Pairs are neighbours, so members in order are
 * ranks in order.
 */

/** How the ranks of a group are folded into a power of two of members. */
export interface Fold {
  /** Members that take part: the largest power of two that is not more than the ranks. */
  readonly size: number;
  /** Members that have a guest: the first ones. */
  readonly pairs: number;
}

/** The largest power of two that is not more than a number of at least 1. */
export function powerOfTwoBelow(value: number): number {
  let power = 1;
  while (power * 2 <= value) power *= 2;
  return power;
}

/** The least k with 2^k >= value, for a value of at least 1. */
export function ceilLog2(value: number): number {
  let log = 0;
  for (let power = 1; power < value; power *= 2) log++;
  return log;
}

export function foldOf(ranks: number): Fold {
  const size = powerOfTwoBelow(ranks);
  return { size, pairs: ranks - size };
}

/** Rank of a member. The ranks that it acts for end before that of the next member. */
export function rankOfMember({ pairs }: Fold, member: number): number {
  return member < pairs ? 2 * member : member + pairs;
}

/** Number of a rank as a member; undefined for a guest. */
export function memberOf({ pairs }: Fold, rank: number): number | undefined {
  if (rank >= 2 * pairs) return rank - pairs;
  return rank % 2 === 0 ? rank / 2 : undefined;
}

/** The guest of a member's rank; undefined if it has none. */
export function guestOf({ pairs }: Fold, rank: number): number | undefined {
  return rank < 2 * pairs ? rank + 1 : undefined;
}

/** The member on the other side when groups of `distance` members become groups of twice that. */
export function partnerOf(member: number, distance: number): { partner: number; above: boolean } {
  const above = Math.floor(member / distance) % 2 === 1;
  return { partner: above ? member - distance : member + distance, above };
}
