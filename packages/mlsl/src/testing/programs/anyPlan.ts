/** Any operation that a group can do. */

import type { Random } from "../../simulation/random.js";
import type { Plan } from "./plan.js";
import { planMessage, planShift } from "./planMessages.js";
import { planAlltoall, planBarrier, planBroadcast, planGather, planScatter } from "./planMoves.js";
import { planReduce, planReduceScatter } from "./planReductions.js";

const PLANS = [
  planReduce,
  planReduce,
  planReduceScatter,
  planBroadcast,
  planGather,
  planGather,
  planScatter,
  planAlltoall,
  planBarrier,
  planShift,
  planMessage,
  planMessage,
] as const;

/** A random operation for a group of `ranks`: the same on every rank that has the same generator. */
export function anyPlan(ranks: number, random: Random): Plan {
  const plan = random.pick(PLANS);
  // A rank that is alone sends to itself.
  return plan === planMessage && ranks === 1 ? planShift(ranks, random) : plan(ranks, random);
}
