/**
 * Rings: every rank talks to its two neighbours only, and every link is busy in every round. The
 * fewest bytes that there can be, 2·m·(n−1)/n for an all-reduce, in n−1 or 2(n−1) rounds.
 *
 * A block's partial sum starts at its owner's right neighbour and goes round to the owner, so it is
 * combined in a circle, not in the order of the ranks.
 *
 * Source: P. Patarasuk, X. Yuan, Bandwidth optimal all-reduce algorithms for clusters of
 * workstations, JPDC 69(2), 2009.
 */

import { type Blocks, blockRegion, evenBlocks } from "./blocks.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape, RankShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

/** A place in a ring of which block `position` is the rank's own. */
export interface Ring {
  readonly position: number;
  readonly ranks: number;
  readonly left: number;
  readonly right: number;
}

function ringOf({ rank, ranks }: RankShape): Ring {
  return { position: rank, ranks, left: (rank - 1 + ranks) % ranks, right: (rank + 1) % ranks };
}

/** Every rank's own block of "recv" goes round until everybody has all. */
export function addRingAllgather(builder: ScheduleBuilder, ring: Ring, blocks: Blocks): void {
  const { position, ranks, left, right } = ring;
  for (let k = 0; k < ranks - 1; k++) {
    const mine = (position - k + ranks) % ranks;
    const next = (mine - 1 + ranks) % ranks;
    builder.send(right, blockRegion("recv", blocks, mine));
    builder.receive(left, blockRegion("recv", blocks, next));
  }
}

export function ringAllgather(place: RankShape, blocks: Blocks): TransportSchedule {
  const builder = new ScheduleBuilder();
  const own = blockRegion("recv", blocks, place.rank);
  builder.copy(region("send", 0, own.count), own);
  addRingAllgather(builder, ringOf(place), blocks);
  return builder.build();
}

/**
 * Partial sums on their way pass through two slots of scratch in turns: one leaves, one is made.
 */
export function ringReduceScatter(place: RankShape, blocks: Blocks): TransportSchedule {
  const { position, ranks, left, right } = ringOf(place);
  const builder = new ScheduleBuilder();
  let slotCount = 0;
  for (let index = 0; index < ranks; index++) slotCount = Math.max(slotCount, blocks.count(index));
  if (ranks > 1) builder.send(right, blockRegion("send", blocks, left));
  for (let k = 1; k < ranks - 1; k++) {
    const index = (position - 1 - k + ranks) % ranks;
    const partial = region("scratch", (k % 2) * slotCount, blocks.count(index));
    builder.copy(blockRegion("send", blocks, index), partial);
    builder.combine(left, partial, "before");
    builder.send(right, partial);
  }
  const own = region("recv", 0, blocks.count(position));
  builder.copy(blockRegion("send", blocks, position), own);
  if (ranks > 1) builder.combine(left, own, "before");
  return builder.build(ranks > 2 ? 2 * slotCount : 0);
}

export function ringAllreduce({ rank, ranks, count }: CountShape): TransportSchedule {
  const ring = ringOf({ rank, ranks });
  const blocks = evenBlocks(count, ranks);
  const builder = new ScheduleBuilder();
  builder.copy(region("send", 0, count), region("recv", 0, count));
  for (let k = 1; k < ranks; k++) {
    const leaving = (rank - k + ranks) % ranks;
    const coming = (leaving - 1 + ranks) % ranks;
    builder.send(ring.right, blockRegion("recv", blocks, leaving));
    builder.combine(ring.left, blockRegion("recv", blocks, coming), "before");
  }
  addRingAllgather(builder, ring, blocks);
  return builder.build();
}
