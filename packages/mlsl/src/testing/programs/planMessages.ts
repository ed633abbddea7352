/** Random messages. */

import type { Random } from "../../simulation/random.js";
import type { Plan, RankPart } from "./plan.js";
import { anyCount, anyTables, anyType, repeated } from "./values.js";

/** A message from one rank to another one. */
export function planMessage(ranks: number, random: Random): Plan {
  const type = anyType(random);
  const count = anyCount(type, random);
  const [table] = anyTables(type, 1, random);
  const values = repeated(type, count, table!);
  const from = random.below(ranks);
  const to = (from + 1 + random.below(ranks - 1)) % ranks;
  const tag = random.below(3);
  const parts = Array.from({ length: ranks }, (_, rank): RankPart | undefined => {
    if (rank === from) return { kind: "send", send: values, options: { to, tag } };
    if (rank === to) return { kind: "recv", recv: values, options: { from, tag } };
    return undefined;
  });
  return { parts };
}

/** Everybody sends to the rank some places further on: to itself perhaps. */
export function planShift(ranks: number, random: Random): Plan {
  const type = anyType(random);
  const count = anyCount(type, random);
  const tables = anyTables(type, ranks, random);
  const by = random.below(ranks);
  const tag = random.below(3);
  const parts = tables.map((table, rank) => {
    const from = (rank + ranks - by) % ranks;
    return {
      kind: "sendrecv" as const,
      send: repeated(type, count, table),
      recv: repeated(type, count, tables[from]!),
      options: { to: (rank + by) % ranks, from, sendTag: tag, recvTag: tag },
    };
  });
  return { parts };
}
