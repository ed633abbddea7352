/**
 * Bruck's algorithms: ⌈log2 n⌉ rounds for any number of ranks, for short messages. Blocks are kept
 * in scratch in an order of the rank's own, its own block first, so that what goes out in a round
 * is one message.
 *
 * Source: J. Bruck, C.-T. Ho, S. Kipnis, E. Upfal, D. Weathersby, Efficient algorithms for
 * all-to-all communications in multiport message-passing systems, IEEE TPDS 8(11), 1997.
 */

import { type Blocks, blockRegion, equalBlocks, prefixSums } from "./blocks.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape, RankShape } from "./shapes.js";
import type { Region, TransportSchedule } from "./steps.js";

/** All-gather: with 2^k blocks held, as many more come from the rank 2^k to the right. */
export function bruckAllgather({ rank, ranks }: RankShape, blocks: Blocks): TransportSchedule {
  const builder = new ScheduleBuilder();
  const ownerOf = (index: number) => (rank + index) % ranks;
  const counts = Array.from({ length: ranks }, (_, index) => blocks.count(ownerOf(index)));
  const starts = prefixSums(counts);
  const held = (first: number, end: number) =>
    region("scratch", starts[first]!, starts[end]! - starts[first]!);
  builder.copy(region("send", 0, counts[0]!), held(0, 1));
  for (let distance = 1; distance < ranks; distance *= 2) {
    const number = Math.min(distance, ranks - distance);
    builder.send((rank - distance + ranks) % ranks, held(0, number));
    builder.receive(ownerOf(distance), held(distance, distance + number));
  }
  for (let index = 0; index < ranks; index++) {
    builder.copy(held(index, index + 1), blockRegion("recv", blocks, ownerOf(index)));
  }
  return builder.build(starts[ranks]!);
}

/** Runs of places below `ranks` whose bit of value `bit` is set. */
function runsWithBit(bit: number, ranks: number): { first: number; end: number }[] {
  const runs: { first: number; end: number }[] = [];
  for (let first = bit; first < ranks; first += 2 * bit) {
    runs.push({ first, end: Math.min(first + bit, ranks) });
  }
  return runs;
}

/**
 * All-to-all: place j holds a block that has j ranks to go to the right; in the round of a bit, all
 * blocks whose j has it go that far. They are packed into one message, and unpacked into the places
 * that they left: what arrives there has the same way to go.
 *
 * Scratch: n places, and two packed messages of at most n/2 blocks, as a message must not arrive
 * where another is still leaving.
 */
export function bruckAlltoall({ rank, ranks, count }: CountShape): TransportSchedule {
  const builder = new ScheduleBuilder();
  const packedCount = Math.floor(ranks / 2) * count;
  const places = (first: number, end: number) =>
    region("scratch", first * count, (end - first) * count);
  const packed = (which: 0 | 1, part: Region, before: number) =>
    region("scratch", ranks * count + which * packedCount + before, part.count);
  builder.copy(region("send", rank * count, (ranks - rank) * count), places(0, ranks - rank));
  builder.copy(region("send", 0, rank * count), places(ranks - rank, ranks));
  for (let bit = 1; bit < ranks; bit *= 2) {
    const parts = runsWithBit(bit, ranks).map(({ first, end }) => places(first, end));
    const starts = prefixSums(parts.map((part) => part.count));
    const total = region("scratch", 0, starts.at(-1)!);
    parts.forEach((part, i) => {
      builder.copy(part, packed(0, part, starts[i]!));
    });
    builder.send((rank + bit) % ranks, packed(0, total, 0));
    builder.receive((rank - bit + ranks) % ranks, packed(1, total, 0));
    parts.forEach((part, i) => {
      builder.copy(packed(1, part, starts[i]!), part);
    });
  }
  const recv = equalBlocks(count);
  for (let place = 0; place < ranks; place++) {
    const from = (rank - place + ranks) % ranks;
    builder.copy(places(place, place + 1), blockRegion("recv", recv, from));
  }
  return builder.build(ranks * count + 2 * packedCount);
}
