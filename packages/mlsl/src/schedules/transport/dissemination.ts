/**
 * Barrier by dissemination: in round k a rank tells the one 2^k to its right that it has come, and
 * with it everybody it has heard of. After ⌈log2 n⌉ rounds it has heard of all.
 *
 * What the messages say does not matter, but who goes by what steps read and write must see that no
 * round begins before all earlier ones are over. So a message is two elements: the second is what
 * came last, and what comes next overwrites half of what came before.
 *
 * Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, IJPP 17(1),
 * 1988.
 */

import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { RankShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

export function disseminationBarrier({ rank, ranks }: RankShape): TransportSchedule {
  const builder = new ScheduleBuilder();
  let round = 0;
  for (let distance = 1; distance < ranks; distance *= 2) {
    builder.send((rank + distance) % ranks, region("scratch", round, 2));
    builder.receive((rank - distance + ranks) % ranks, region("scratch", round + 2, 2));
    round++;
  }
  return builder.build(round > 0 ? round + 3 : 0);
}
