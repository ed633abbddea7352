/**
 * Recursive doubling: in round k, groups of 2^k members become groups of 2^(k+1), every member
 * exchanging all it has with its partner on the other side. ⌊log2 n⌋ rounds, and two more where the
 * ranks are not a power of two (fold.ts).
 *
 * Source: Thakur, Rabenseifner, Gropp 2005 (see binomial.ts), all-gather and all-reduce.
 */

import { type Blocks, blockRegion, blockRegions } from "./blocks.js";
import { foldOf, guestOf, memberOf, partnerOf, rankOfMember } from "./fold.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape, RankShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

/**
 * The vector goes out from scratch: both partners write their sums when the other's arrives, which
 * from one and the same region would be before it has left. Both compute lower ∘ higher.
 */
export function doublingAllreduce({ rank, ranks, count }: CountShape): TransportSchedule {
  const fold = foldOf(ranks);
  const builder = new ScheduleBuilder();
  const sum = region("recv", 0, count);
  const leaving = region("scratch", 0, count);
  const member = memberOf(fold, rank);
  if (member === undefined) {
    builder.send(rank - 1, region("send", 0, count));
    builder.receive(rank - 1, sum);
    return builder.build();
  }
  const guest = guestOf(fold, rank);
  builder.copy(region("send", 0, count), sum);
  if (guest !== undefined) builder.combine(guest, sum, "after");
  for (let distance = 1; distance < fold.size; distance *= 2) {
    const { partner, above } = partnerOf(member, distance);
    builder.copy(sum, leaving);
    builder.send(rankOfMember(fold, partner), leaving);
    builder.combine(rankOfMember(fold, partner), sum, above ? "before" : "after");
  }
  if (guest !== undefined) builder.send(guest, sum);
  return builder.build(fold.size > 1 ? count : 0);
}

/** A group's blocks are neighbours; where they touch in memory too, they go as one message. */
export function doublingAllgather({ rank, ranks }: RankShape, blocks: Blocks): TransportSchedule {
  const fold = foldOf(ranks);
  const builder = new ScheduleBuilder();
  const own = blockRegion("recv", blocks, rank);
  const member = memberOf(fold, rank);
  const ofMembers = (first: number, count: number) =>
    blockRegions("recv", blocks, {
      first: rankOfMember(fold, first),
      end: rankOfMember(fold, first + count),
    });
  if (member === undefined) {
    builder.send(rank - 1, region("send", 0, own.count));
    for (const part of ofMembers(0, fold.size)) builder.receive(rank - 1, part);
    return builder.build();
  }
  const guest = guestOf(fold, rank);
  builder.copy(region("send", 0, own.count), own);
  if (guest !== undefined) builder.receive(guest, blockRegion("recv", blocks, guest));
  for (let distance = 1; distance < fold.size; distance *= 2) {
    const { partner } = partnerOf(member, distance);
    const to = rankOfMember(fold, partner);
    const groupOf = (one: number) => one - (one % distance);
    for (const part of ofMembers(groupOf(member), distance)) builder.send(to, part);
    for (const part of ofMembers(groupOf(partner), distance)) builder.receive(to, part);
  }
  if (guest !== undefined) for (const part of ofMembers(0, fold.size)) builder.send(guest, part);
  return builder.build();
}
