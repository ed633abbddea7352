/** Random programs and what came of them, in words. */

import type { ProgramResult } from "./playProgram.js";
import type { Accident, CollectivePlan, ProgramPlan } from "./programPlan.js";
import type { TraceEvent } from "./programProbe.js";

/** Digits of milliseconds: nanoseconds. */
const MS_DIGITS = 6;

function accidentText(accident: Accident): string {
  if (accident.kind === "mismatch") {
    const { ranks, collective } = accident;
    return `its ranks ${ranks.join(", ")} ask for something else than collective ${collective}`;
  }
  if (accident.kind === "absent") {
    return `its rank ${accident.rank} never starts collective ${accident.collective}`;
  }
  const at = `at ${accident.atMs.toFixed(MS_DIGITS)} ms`;
  if (accident.kind === "death") return `rank ${accident.rank} dies ${at}`;
  return `ranks ${accident.ranks.join(" and ")} lose their connection ${at}`;
}

function collectiveText(plan: CollectivePlan, index: number): string {
  const { group, kind, algorithm, root, count, elementBytes, operator } = plan;
  const parts = [
    `${index}: ${kind} ${algorithm} in group ${group}`,
    `root ${root}, count ${count} of ${elementBytes} B, operator ${operator}`,
  ];
  if (plan.inPlace) parts.push("in place");
  if (plan.persistent) parts.push(`started ${plan.starts} times`);
  if (plan.name !== undefined) parts.push(`named ${plan.name}`);
  if (plan.priority !== undefined) parts.push(`priority ${plan.priority}`);
  return parts.join(", ");
}

/** A program, a line for each thing. */
export function programLines(plan: ProgramPlan): string[] {
  const { seed, network, mode, chunkBytes, windowBytes, groups, collectives, accident } = plan;
  return [
    `Seed ${seed}: ${network.ranks} ranks, mode ${mode}, chunks of ${chunkBytes} B, ` +
      `window of ${windowBytes} B`,
    `network: ${JSON.stringify(network)}`,
    `faults: ${JSON.stringify(plan.faults)}`,
    ...groups.map((members, group) => `group ${group}: ranks ${members.join(" ")}`),
    ...collectives.map(collectiveText),
    ...(accident === undefined ? [] : [`accident: ${accidentText(accident)}`]),
  ];
}

/** An event, in a line. */
export function traceLine({ ms, rank, text }: TraceEvent): string {
  return `${ms.toFixed(MS_DIGITS)} ms  rank ${rank} ${text}`;
}

/** What came of a program that was right, in a line. */
export function resultLine(result: ProgramResult): string {
  const { requestsDone, requestsFailed, events, frames, kernels, virtualMs, longestPassed } =
    result;
  const failed = requestsFailed === 0 ? "" : `, ${requestsFailed} failed as they had to`;
  return (
    `All is right: ${requestsDone} requests done${failed}; ${events} events, ${frames} frames, ` +
    `${kernels} kernels, ${virtualMs.toFixed(MS_DIGITS)} ms of virtual time; the oldest request ` +
    `was passed over at most ${longestPassed} times in a row`
  );
}
