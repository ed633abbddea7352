/**
 * All-reduce by recursive halving, then the same rounds backwards, in which the reduced parts come
 * back: 2·⌊log2 n⌋ rounds and about 2·m bytes; two rounds and m bytes more where the ranks are not
 * a power of two (fold.ts).
 *
 * Source: R. Rabenseifner, Optimization of collective reduction operations, ICCS 2004.
 */

import { evenBlocks } from "./blocks.js";
import { foldOf, guestOf, memberOf } from "./fold.js";
import { halvingsByNearest, type Range } from "./halvings.js";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";
import type { CountShape } from "./shapes.js";
import type { Region, TransportSchedule } from "./steps.js";

function partOf({ begin, end }: Range): Region {
  return region("recv", begin, end - begin);
}

export function halvingDoublingAllreduce({ rank, ranks, count }: CountShape): TransportSchedule {
  const fold = foldOf(ranks);
  const builder = new ScheduleBuilder();
  const vector = region("recv", 0, count);
  const member = memberOf(fold, rank);
  if (member === undefined) {
    builder.send(rank - 1, region("send", 0, count));
    builder.receive(rank - 1, vector);
    return builder.build();
  }
  const guest = guestOf(fold, rank);
  const rounds = halvingsByNearest(fold, member, evenBlocks(count, fold.size).offset);
  builder.copy(region("send", 0, count), vector);
  if (guest !== undefined) builder.combine(guest, vector, "after");
  for (const { peer, above, kept, given } of rounds) {
    builder.send(peer, partOf(given));
    builder.combine(peer, partOf(kept), above ? "before" : "after");
  }
  for (const { peer, kept, given } of rounds.toReversed()) {
    builder.send(peer, partOf(kept));
    builder.receive(peer, partOf(given));
  }
  if (guest !== undefined) builder.send(guest, vector);
  return builder.build();
}
