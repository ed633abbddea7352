/**
 * All-reduce on a torus: ranks are the points of a grid, and rings along its first side reduce and
 * scatter, rings along the next side do so with what is left, and so on; then the parts come back the
 * same way. 2·m·(n−1)/n bytes as in one ring, in far fewer rounds: 2·(a−1) + 2·(b−1) on a grid of a
 * by b. One side is a ring; sides of two are recursive halving and doubling.
 *
 * What it has before halving and doubling: of all that a rank receives, the most comes from one and
 * the same neighbour. Where ranks are not in step, those that halve and double meet at the same
 * receivers while others wait for nothing; in rings nobody meets.
 *
 * Source: H. Mikami et al., Massively distributed SGD: ImageNet/ResNet-50 training in a flash, 2018
 * (arXiv 1811.05233), for two sides; rings after ring.ts.
 */

import { type Blocks, blockRegion, evenBlocks } from "./blocks.js";
import type { Cost } from "./costs.js";
import { addRingAllgather, type Ring } from "./ring.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

/** An all-reduce on a torus. */
export interface TorusShape extends CountShape {
  /** Points along each side; their product is the ranks. Neighbours on the first side are ranks. */
  readonly sides: readonly number[];
}

/** Blocks of a part of the vector. */
function blocksFrom(begin: number, count: number, blocks: number): Blocks {
  const even = evenBlocks(count, blocks);
  return { count: even.count, offset: (index) => begin + even.offset(index) };
}

/** A rank's ring along a side, when ranks that are neighbours on it are `stride` apart. */
function ringOf(rank: number, stride: number, side: number): Ring {
  const position = Math.floor(rank / stride) % side;
  const first = rank - position * stride;
  const at = (place: number): number => first + ((place + side) % side) * stride;
  return { position, ranks: side, left: at(position - 1), right: at(position + 1) };
}

/** Partial sums go round until every rank has its own block's. */
function addReduceScatter(builder: ScheduleBuilder, ring: Ring, blocks: Blocks): void {
  const { position, ranks, left, right } = ring;
  for (let k = 1; k < ranks; k++) {
    const leaving = (position - k + ranks) % ranks;
    const coming = (leaving - 1 + ranks) % ranks;
    builder.send(right, blockRegion("recv", blocks, leaving));
    builder.combine(left, blockRegion("recv", blocks, coming), "before");
  }
}

/**
 * The schedule of one rank. Contributions are combined in circles, not in the order of the ranks.
 *
 * @throws {RangeError} if the rank or a side is impossible, or their product is not the ranks
 */
export function torusAllreduce({ rank, ranks, count, sides }: TorusShape): TransportSchedule {
  checkSides(rank, ranks, sides);
  const builder = new ScheduleBuilder();
  builder.copy(region("send", 0, count), region("recv", 0, count));
  const rings: { ring: Ring; blocks: Blocks }[] = [];
  let [stride, begin, length] = [1, 0, count];
  for (const side of sides) {
    const ring = ringOf(rank, stride, side);
    const blocks = blocksFrom(begin, length, side);
    addReduceScatter(builder, ring, blocks);
    rings.push({ ring, blocks });
    begin = blocks.offset(ring.position);
    length = blocks.count(ring.position);
    stride *= side;
  }
  for (const { ring, blocks } of rings.toReversed()) addRingAllgather(builder, ring, blocks);
  return builder.build();
}

function checkSides(rank: number, ranks: number, sides: readonly number[]): void {
  const isWhole = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
  const product = sides.reduce((a, b) => a * b, 1);
  if (!sides.every(isWhole) || product !== ranks) {
    throw new RangeError(
      `Cannot build schedule: expected sides whose product is the ranks, ${ranks}, ` +
        `got ${sides.join(" × ")}`,
    );
  }
  if (Number.isSafeInteger(rank) && rank >= 0 && rank < ranks) return;
  throw new RangeError(
    `Cannot build schedule: "rank" must be an integer from 0 to ${ranks - 1}, got ${rank}`,
  );
}

/** What it costs, exact where the sides divide the count. */
export function torusCost(count: number, sides: readonly number[]): Cost {
  let [rounds, sentCount, length] = [0, 0, count];
  for (const side of sides) {
    rounds += 2 * (side - 1);
    sentCount += (2 * (side - 1) * length) / side;
    length /= side;
  }
  return { rounds, sentCount };
}

/**
 * The two sides of the grid that is nearest to a square, the larger first; one side for a prime. The
 * more points the first side has, the less crosses over.
 */
export function squareSides(ranks: number): readonly number[] {
  let short = Math.floor(Math.sqrt(ranks));
  while (ranks % short !== 0) short--;
  return short === 1 ? [ranks] : [ranks / short, short];
}
