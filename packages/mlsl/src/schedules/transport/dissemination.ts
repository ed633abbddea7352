/**
 * Barrier by dissemination: in round k a rank tells the one 2^k to its right that it has come, and
 * with it everybody it has heard of. After ⌈log2 n⌉ rounds it has heard of all. What the messages
 * say does not matter; nothing can be sent without an element, so they are one.
 *
 * Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, IJPP 17(1),
 * 1988.
 */

import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { RankShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

export function disseminationBarrier({ rank, ranks }: RankShape): TransportSchedule {
  const builder = new ScheduleBuilder();
  for (let distance = 1; distance < ranks; distance *= 2) {
    builder.send((rank + distance) % ranks, region("scratch", 0, 1));
    builder.receive((rank - distance + ranks) % ranks, region("scratch", 1, 1));
  }
  return builder.build(ranks > 1 ? 2 : 0);
}
