/**
 * Broadcast along a chain from the root to its left neighbour. One vector takes n−1 rounds; cut
 * into c chunks that follow each other it takes n−2+c, so a long vector takes hardly longer than
 * one message.
 */

import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { RootedShape } from "./shapes.js";
import type { TransportSchedule } from "./steps.js";

export function chainBroadcast({ rank, ranks, root, count }: RootedShape): TransportSchedule {
  const builder = new ScheduleBuilder();
  const vector = region("recv", 0, count);
  const left = (rank - 1 + ranks) % ranks;
  const right = (rank + 1) % ranks;
  if (rank !== root) builder.receive(left, vector);
  if (right !== root) builder.send(right, vector);
  return builder.build();
}
