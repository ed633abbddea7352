/**
 * Barrier by dissemination: in round k a rank tells the one 2^k to its right that it has come, and
 * with it everybody it has heard of. After ⌈log2 n⌉ rounds it has heard of all.
 *
 * What a message says is an element for each rank that its sender has heard of, itself first, as in
 * Bruck's all-gather. The values do not matter; that all of them have passed does, also to whoever
 * goes by what steps read and write instead of by their order, and cuts messages into chunks.
 *
 * Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, IJPP 17(1),
 * 1988.
 */

import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { RankShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

export function disseminationBarrier({ rank, ranks }: RankShape): TransportSchedule {
  const builder = new ScheduleBuilder();
  for (let heard = 1; heard < ranks; heard *= 2) {
    const more = Math.min(heard, ranks - heard);
    builder.send((rank + heard) % ranks, region("scratch", 0, more));
    builder.receive((rank - heard + ranks) % ranks, region("scratch", heard, more));
  }
  return builder.build(ranks > 1 ? ranks : 0);
}
