/**
 * Exchanges without intermediaries: in round k a rank sends to the k-th to its right and receives
 * from the k-th to its left. `pairwise` ends a round before it begins the next, so every rank
 * receives from one peer at a time; `linear` hands over all sends at once.
 *
 * Source: Thakur, Rabenseifner, Gropp 2005 (see binomial.ts), all-to-all and reduce-scatter.
 */

import { type Blocks, blockRegion } from "./blocks.js";
import { ScheduleBuilder } from "./scheduleBuilder.js";
import type { RankShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

/** Where the blocks for and from each rank lie. */
export interface ExchangeBlocks {
  readonly send: Blocks;
  readonly recv: Blocks;
}

export function pairwiseAlltoall(
  { rank, ranks }: RankShape,
  { send, recv }: ExchangeBlocks,
): TransportSchedule {
  const builder = new ScheduleBuilder();
  builder.copy(blockRegion("send", send, rank), blockRegion("recv", recv, rank));
  for (let k = 1; k < ranks; k++) {
    const to = (rank + k) % ranks;
    const from = (rank - k + ranks) % ranks;
    builder.send(to, blockRegion("send", send, to));
    builder.receive(from, blockRegion("recv", recv, from));
  }
  return builder.build();
}

export function linearAlltoall(
  { rank, ranks }: RankShape,
  { send, recv }: ExchangeBlocks,
): TransportSchedule {
  const builder = new ScheduleBuilder();
  for (let k = 1; k < ranks; k++) {
    const to = (rank + k) % ranks;
    builder.send(to, blockRegion("send", send, to));
  }
  builder.copy(blockRegion("send", send, rank), blockRegion("recv", recv, rank));
  for (let k = 1; k < ranks; k++) {
    const from = (rank - k + ranks) % ranks;
    builder.receive(from, blockRegion("recv", recv, from));
  }
  return builder.build();
}

/** Reduce-scatter by the same exchange: contributions are combined as their rounds come. */
export function pairwiseReduceScatter(
  { rank, ranks }: RankShape,
  blocks: Blocks,
): TransportSchedule {
  const builder = new ScheduleBuilder();
  const own = { ...blockRegion("recv", blocks, rank), offset: 0 };
  builder.copy(blockRegion("send", blocks, rank), own);
  for (let k = 1; k < ranks; k++) {
    const to = (rank + k) % ranks;
    builder.send(to, blockRegion("send", blocks, to));
    builder.combine((rank - k + ranks) % ranks, own, "after");
  }
  return builder.build();
}
