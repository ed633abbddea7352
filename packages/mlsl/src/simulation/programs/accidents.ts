/** Which requests of a random program may fail, which must, and how. */

import type { Failure } from "../../engine/failure.js";
import type { ProgramPlan } from "./programPlan.js";

/** The groups whose requests may fail; undefined if none may. */
function mayFail({ accident, groups, collectives }: ProgramPlan): number[] | undefined {
  if (accident === undefined) return undefined;
  if (accident.kind === "mismatch" || accident.kind === "absent") {
    return [collectives[accident.collective]!.group];
  }
  const lost = accident.kind === "death" ? [accident.rank] : accident.ranks;
  const all = groups.map((_, group) => group);
  return all.filter((group) => lost.every((rank) => groups[group]!.includes(rank)));
}

/** Whether no rank can do a collective. */
export function mustFail({ accident }: ProgramPlan, collective: number): boolean {
  if (accident?.kind !== "mismatch" && accident?.kind !== "absent") return false;
  return accident.collective === collective;
}

/** @returns what is wrong with a failure, in words; undefined if it is what must be */
export function checkFailure(
  plan: ProgramPlan,
  collective: number,
  failure: Failure,
): string | undefined {
  const groups = mayFail(plan) ?? [];
  const text = `has failed: ${JSON.stringify(failure)}`;
  if (!groups.includes(plan.collectives[collective]!.group)) return text;
  const { accident } = plan;
  if (accident?.kind === "mismatch") return failure.kind === "mismatch" ? undefined : text;
  if (accident?.kind === "absent") return failure.kind === "timeout" ? undefined : text;
  if (failure.kind !== "lost") return text;
  const lost = accident?.kind === "death" ? [accident.rank] : (accident?.ranks ?? []);
  return lost.includes(failure.rank) ? undefined : text;
}
