/**
 * All-reduce in two levels, for more ranks than one level serves well: groups of neighbours cut the
 * vector among themselves, each part is reduced across the groups by the ranks that have it, and the
 * parts come back. Only 1/m of the vector crosses between groups of m members, and where the groups
 * are not a power of two in number, only that part takes the detour of a fold (fold.ts).
 *
 * Recursive halving with the nearest first inside a group, halving and doubling between groups, so
 * ranks are combined in their order on both levels.
 *
 * Sources: R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004, for each
 * level; for levels M. Barnett, L. Shuler, R. van de Geijn et al., Interprocessor collective
 * communication library (InterCom), SHPCC 1994.
 */

import { evenBlocks } from "./blocks.js";
import {
  ceilLog2,
  type Fold,
  foldOf,
  guestOf,
  memberOf,
  powerOfTwoBelow,
  rankOfMember,
} from "./fold.js";
import { type Halving, halvingsByNearest, type Range } from "./halvings.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape } from "./shapes.js";
import type { Region, TransportSchedule } from "./steps.js";

/**
 * Most ranks that are taken. Nothing grows with them but the rounds; twice the largest run of the
 * paper that the project follows (9,600 nodes) is left room for, to a power of two.
 */
export const MAX_TWO_LEVEL_RANKS = 16384;

/** An all-reduce in two levels. */
export interface TwoLevelShape extends CountShape {
  /**
   * Ranks of a group, 1 … ranks. Where they do not divide the ranks, groups are larger, as even as
   * can be. A power of two that divides the ranks costs least.
   */
  readonly perGroup: number;
}

/** How the ranks are divided. */
interface Levels {
  readonly groups: number;
  /** Members that work in each group: a power of two, the same in all. */
  readonly members: number;
  /** First rank and number of ranks of a group. */
  readonly offset: (group: number) => number;
  readonly size: (group: number) => number;
}

function levelsOf(ranks: number, perGroup: number): Levels {
  const groups = Math.floor(ranks / perGroup);
  const { offset, count } = evenBlocks(ranks, groups);
  // Sizes differ by one at most, so the largest group folds into as many as the smallest.
  return { groups, members: powerOfTwoBelow(count(groups - 1)), offset, size: count };
}

function groupOf({ groups, offset }: Levels, rank: number, ranks: number): number {
  let group = Math.min(groups - 1, Math.ceil(((rank + 1) * groups) / ranks));
  while (offset(group) > rank) group--;
  return group;
}

function partOf({ begin, end }: Range): Region {
  return region("recv", begin, end - begin);
}

/** Halves with each partner, combining what comes. */
function addHalvings(builder: ScheduleBuilder, rounds: readonly Halving[]): void {
  for (const { peer, above, kept, given } of rounds) {
    builder.send(peer, partOf(given));
    builder.combine(peer, partOf(kept), above ? "before" : "after");
  }
}

/** The same rounds backwards: parts that are reduced come back. */
function addDoublings(builder: ScheduleBuilder, rounds: readonly Halving[]): void {
  for (const { peer, kept, given } of rounds.toReversed()) {
    builder.send(peer, partOf(kept));
    builder.receive(peer, partOf(given));
  }
}

/** Rounds among numbered members, with partners that `rankOf` names. */
function roundsOf(
  fold: Fold,
  member: number,
  { begin, end }: Range,
  rankOf: (place: number) => number,
): Halving[] {
  const { offset } = evenBlocks(end - begin, fold.size);
  const rounds = halvingsByNearest(fold, member, (part) => begin + offset(part));
  return rounds.map((round) => ({ ...round, peer: rankOf(round.peer) }));
}

/** One level: a keeper works for its guest; what is in the middle is done on the part that is kept. */
function addLevel(
  builder: ScheduleBuilder,
  { fold, place, whole }: { fold: Fold; place: number; whole: Range },
  rankOf: (place: number) => number,
  middle: (part: Range, member: number) => void = () => {},
): void {
  const member = memberOf(fold, place);
  if (member === undefined) {
    builder.send(rankOf(place - 1), partOf(whole));
    builder.receive(rankOf(place - 1), partOf(whole));
    return;
  }
  const guest = guestOf(fold, place);
  if (guest !== undefined) builder.combine(rankOf(guest), partOf(whole), "after");
  const rounds = roundsOf(fold, member, whole, rankOf);
  addHalvings(builder, rounds);
  middle(rounds.at(-1)?.kept ?? whole, member);
  addDoublings(builder, rounds);
  if (guest !== undefined) builder.send(rankOf(guest), partOf(whole));
}

/**
 * The schedule of one rank. With one rank to a group, or all in one, it is halving and doubling.
 *
 * @throws {RangeError} if the rank, ranks, ranks of a group or count are impossible
 */
export function twoLevelAllreduce(shape: TwoLevelShape): TransportSchedule {
  checkTwoLevel(shape);
  const { rank, ranks, count, perGroup } = shape;
  const levels = levelsOf(ranks, perGroup);
  const group = groupOf(levels, rank, ranks);
  const first = levels.offset(group);
  const builder = new ScheduleBuilder();
  builder.copy(region("send", 0, count), region("recv", 0, count));
  const inside = { size: levels.members, pairs: levels.size(group) - levels.members };
  const whole = { begin: 0, end: count };
  addLevel(
    builder,
    { fold: inside, place: rank - first, whole },
    (place) => first + place,
    (part, member) => {
      const rankOf = (other: number): number =>
        levels.offset(other) +
        rankOfMember({ ...inside, pairs: levels.size(other) - levels.members }, member);
      const place = { fold: foldOf(levels.groups), place: group, whole: part };
      if (part.end > part.begin) addLevel(builder, place, rankOf);
    },
  );
  return builder.build();
}

function checkTwoLevel({ rank, ranks, count, perGroup }: TwoLevelShape): void {
  const limits = {
    ranks: [ranks, 1, MAX_TWO_LEVEL_RANKS],
    rank: [rank, 0, ranks - 1],
    perGroup: [perGroup, 1, ranks],
    count: [count, 0, Number.MAX_SAFE_INTEGER],
  } as const;
  for (const [name, [value, least, most]] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    throw new RangeError(
      `Cannot build schedule: "${name}" must be an integer from ${least} to ${most}, got ${value}`,
    );
  }
}

/**
 * What it costs, as the formulas in costs.ts: counts of rounds exact where both levels are powers of
 * two and for folds on the way, elements of a rank that has guests on both levels.
 */
export function twoLevelCost(
  ranks: number,
  count: number,
  perGroup: number,
): { rounds: number; sentCount: number } {
  const { groups, members, size } = levelsOf(ranks, perGroup);
  const outer = foldOf(groups);
  const innerFold = size(0) > members ? 1 : 0;
  const outerFold = outer.pairs > 0 ? 1 : 0;
  const part = count / members;
  return {
    rounds: 2 * (ceilLog2(members) + innerFold + ceilLog2(outer.size) + outerFold),
    sentCount:
      2 * (count - part) +
      innerFold * count +
      (2 * part * (outer.size - 1)) / outer.size +
      outerFold * part,
  };
}
