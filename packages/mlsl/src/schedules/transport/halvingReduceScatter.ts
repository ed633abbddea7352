/**
 * Reduce-scatter by recursive halving (halvings.ts): ⌊log2 n⌋ rounds and (n−1)/n of the vector, and
 * two more rounds where the ranks are not a power of two (fold.ts). Sums are made in scratch, as
 * "send" is not ours to write. A member without a guest needs scratch only for the half that it
 * keeps in its first round: it gives the other half out of "send".
 *
 * Two forms. With furthest partners first everybody ends with its own block, but ranks are combined
 * out of order. With nearest partners first they are combined in order, and the blocks are sent to
 * their owners in one more round.
 *
 * Sources: R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective communication
 * operations in MPICH, IJHPCA 19(1), 2005; for the order J. L. Träff, An improved algorithm for
 * (non-commutative) reduce-scatter with an application, EuroPVM/MPI 2005.
 */

import type { Blocks } from "./blocks.js";
import { type Fold, foldOf, guestOf, memberOf, rankOfMember } from "./fold.js";
import {
  bitsBackwards,
  type Halving,
  halvingsByFurthest,
  halvingsByNearest,
  type Range,
} from "./halvings.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { RankShape } from "./shapes.js";
import type { Region, TransportSchedule } from "./steps.js";

function sendRegion({ begin, end }: Range): Region {
  return region("send", begin, end - begin);
}

/** Sums of a range of the vector, of which scratch holds a part. */
type Sums = (range: Range) => Region;

/** What the halvings of a member are made of. */
interface Halvings {
  readonly rounds: readonly Halving[];
  readonly guest: number | undefined;
  /** The part of the vector that scratch holds. */
  readonly held: Range;
  readonly sums: Sums;
}

function halvingsOf(rounds: readonly Halving[], guest: number | undefined, whole: Range): Halvings {
  const held = guest === undefined ? (rounds[0]?.kept ?? whole) : whole;
  const sums = ({ begin, end }: Range) => region("scratch", begin - held.begin, end - begin);
  return { rounds, guest, held, sums };
}

function addHalvings(builder: ScheduleBuilder, { rounds, guest, held, sums }: Halvings): void {
  if (guest !== undefined || rounds.length === 0) builder.copy(sendRegion(held), sums(held));
  if (guest !== undefined) builder.combine(guest, sums(held), "after");
  rounds.forEach(({ peer, above, kept, given }, round) => {
    const isFresh = round === 0 && guest === undefined;
    builder.send(peer, isFresh ? sendRegion(given) : sums(given));
    if (isFresh) builder.copy(sendRegion(kept), sums(kept));
    builder.combine(peer, sums(kept), above ? "before" : "after");
  });
}

/** Range of the blocks [first, end), which lie one after the other. */
function rangeOf(blocks: Blocks, first: number, end = first + 1): Range {
  return { begin: blocks.offset(first), end: blocks.offset(end - 1) + blocks.count(end - 1) };
}

/** Where the blocks begin that a member's ranks own; of one too many, where the last ends. */
function partStart(fold: Fold, ranks: number, blocks: Blocks): (part: number) => number {
  return (part) => {
    const first = rankOfMember(fold, part);
    return first < ranks ? blocks.offset(first) : rangeOf(blocks, ranks - 1).end;
  };
}

/** What a rank does that has handed all its work to its left neighbour. */
function guestSchedule(
  rank: number,
  from: number,
  { whole, result }: { whole: Range; result: Region },
): TransportSchedule {
  const builder = new ScheduleBuilder();
  builder.send(rank - 1, sendRegion(whole));
  builder.receive(from, result);
  return builder.build();
}

/** Furthest partners first; in the end a member hands its guest's block over. */
export function halvingReduceScatter(
  { rank, ranks }: RankShape,
  blocks: Blocks,
): TransportSchedule {
  const fold = foldOf(ranks);
  const builder = new ScheduleBuilder();
  const whole = rangeOf(blocks, 0, ranks);
  const result = region("recv", 0, blocks.count(rank));
  const member = memberOf(fold, rank);
  if (member === undefined) return guestSchedule(rank, rank - 1, { whole, result });
  const guest = guestOf(fold, rank);
  const rounds = halvingsByFurthest(fold, member, partStart(fold, ranks, blocks));
  const halvings = halvingsOf(rounds, guest, whole);
  addHalvings(builder, halvings);
  if (guest !== undefined) builder.send(guest, halvings.sums(rangeOf(blocks, guest)));
  builder.copy(halvings.sums(rangeOf(blocks, rank)), result);
  return builder.build(halvings.held.end - halvings.held.begin);
}

/** Nearest partners first; in the end everybody sends the blocks that it has to their owners. */
export function halvingReduceScatterInOrder(
  { rank, ranks }: RankShape,
  blocks: Blocks,
): TransportSchedule {
  const fold = foldOf(ranks);
  const builder = new ScheduleBuilder();
  const whole = rangeOf(blocks, 0, ranks);
  const result = region("recv", 0, blocks.count(rank));
  const member = memberOf(fold, rank);
  if (member === undefined) {
    const keeper = memberOf(fold, rank - 1)!;
    const from = rankOfMember(fold, bitsBackwards(keeper, fold.size));
    return guestSchedule(rank, from, { whole, result });
  }
  const rounds = halvingsByNearest(fold, member, partStart(fold, ranks, blocks));
  const halvings = halvingsOf(rounds, guestOf(fold, rank), whole);
  addHalvings(builder, halvings);
  const other = bitsBackwards(member, fold.size);
  const owner = rankOfMember(fold, other);
  const ownersGuest = guestOf(fold, owner);
  const theirs = halvings.sums(rangeOf(blocks, owner));
  if (owner !== rank) builder.send(owner, theirs);
  if (ownersGuest !== undefined) {
    builder.send(ownersGuest, halvings.sums(rangeOf(blocks, ownersGuest)));
  }
  if (owner === rank) builder.copy(theirs, result);
  else builder.receive(owner, result);
  return builder.build(halvings.held.end - halvings.held.begin);
}
