/**
 * Recursive halving: in each round a member gives its partner the half of the vector that the
 * partner's side is to have, and combines the other half. ⌊log2 n⌋ rounds, and two more where the
 * ranks are not a power of two (fold.ts).
 *
 * Source: R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004, §3; Thakur,
 * Rabenseifner, Gropp 2005 (see binomial.ts), §4.3 and §4.5.
 */

import { type Blocks, blockRegion } from "./blocks.js";
import { type Fold, foldOf, guestOf, memberOf, partnerOf, rankOfMember } from "./fold.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape, RankShape } from "./shapes.js";
import type { BufferName, TransportSchedule } from "./steps.js";

/** Elements [begin, end) of the vector. */
interface Range {
  readonly begin: number;
  readonly end: number;
}

function rangeRegion(buffer: BufferName, { begin, end }: Range, base = 0) {
  return region(buffer, begin - base, end - begin);
}

/** One round of the halving: with whom, which part stays here and which goes there. */
interface Halving {
  readonly peer: number;
  readonly above: boolean;
  readonly kept: Range;
  readonly given: Range;
}

/**
 * Nearest partners first, so that contributions are combined in the order of the ranks; which part
 * of the vector a member ends with does not matter, as the way back collects them all.
 */
function halvingsByNearest(fold: Fold, member: number, count: number): Halving[] {
  const rounds: Halving[] = [];
  let range: Range = { begin: 0, end: count };
  for (let distance = 1; distance < fold.size; distance *= 2) {
    const { partner, above } = partnerOf(member, distance);
    const middle = range.begin + Math.floor((range.end - range.begin) / 2);
    const lower = { begin: range.begin, end: middle };
    const upper = { begin: middle, end: range.end };
    const [kept, given] = above ? [upper, lower] : [lower, upper];
    rounds.push({ peer: rankOfMember(fold, partner), above, kept, given });
    range = kept;
  }
  return rounds;
}

/** All-reduce: halving, then the same rounds backwards, in which the reduced parts come back. */
export function halvingDoublingAllreduce({ rank, ranks, count }: CountShape): TransportSchedule {
  const fold = foldOf(ranks);
  const builder = new ScheduleBuilder();
  const vector = region("recv", 0, count);
  const member = memberOf(fold, rank);
  if (member === undefined) {
    builder.send(rank - 1, region("send", 0, count));
    builder.receive(rank - 1, vector);
    return builder.build();
  }
  const guest = guestOf(fold, rank);
  const rounds = halvingsByNearest(fold, member, count);
  builder.copy(region("send", 0, count), vector);
  if (guest !== undefined) builder.combine(guest, vector, "after");
  for (const { peer, above, kept, given } of rounds) {
    builder.send(peer, rangeRegion("recv", given));
    builder.combine(peer, rangeRegion("recv", kept), above ? "before" : "after");
  }
  for (const { peer, kept, given } of rounds.toReversed()) {
    builder.send(peer, rangeRegion("recv", kept));
    builder.receive(peer, rangeRegion("recv", given));
  }
  if (guest !== undefined) builder.send(guest, vector);
  return builder.build();
}

/** Furthest partners first: a member ends with the blocks of the ranks that it acts for. */
function halvingsByFurthest(fold: Fold, member: number, blocks: Blocks): Halving[] {
  const rounds: Halving[] = [];
  const start = (index: number) => blocks.offset(rankOfMember(fold, index));
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

/**
 * Reduce-scatter: halving, with the sums in scratch. A member without a guest needs scratch only
 * for the half that it keeps in its first round, as it gives the other half out of "send".
 *
 * @param blocks one after the other; has an offset for block `ranks` too, the end of the vector
 */
export function halvingReduceScatter(
  { rank, ranks }: RankShape,
  blocks: Blocks,
): TransportSchedule {
  const fold = foldOf(ranks);
  const builder = new ScheduleBuilder();
  const whole: Range = { begin: 0, end: blocks.offset(ranks) };
  const result = region("recv", 0, blocks.count(rank));
  const member = memberOf(fold, rank);
  if (member === undefined) {
    builder.send(rank - 1, rangeRegion("send", whole));
    builder.receive(rank - 1, result);
    return builder.build();
  }
  const guest = guestOf(fold, rank);
  const rounds = halvingsByFurthest(fold, member, blocks);
  const held = guest === undefined ? (rounds[0]?.kept ?? whole) : whole;
  const sums = (range: Range) => rangeRegion("scratch", range, held.begin);
  if (guest !== undefined) {
    builder.copy(rangeRegion("send", held), sums(held));
    builder.combine(guest, sums(held), "after");
  }
  rounds.forEach(({ peer, above, kept, given }, round) => {
    const fresh = round === 0 && guest === undefined;
    builder.send(peer, fresh ? rangeRegion("send", given) : sums(given));
    if (fresh) builder.copy(rangeRegion("send", kept), sums(kept));
    builder.combine(peer, sums(kept), above ? "before" : "after");
  });
  const own = blockRegion("send", blocks, rank);
  const ownSums = sums({ begin: own.offset, end: own.offset + own.count });
  builder.copy(ranks === 1 ? own : ownSums, result);
  if (guest !== undefined) {
    const theirs = blockRegion("send", blocks, guest);
    builder.send(guest, sums({ begin: theirs.offset, end: theirs.offset + theirs.count }));
  }
  return builder.build(ranks === 1 ? 0 : held.end - held.begin);
}
