/** What must hold of each rank's part in the collectives of a random program. */

import type { Engine } from "../../engine/engine.js";
import type { EngineGroup } from "../../engine/group.js";
import type { EngineRequest } from "../../engine/request.js";
import { checkFailure, mustFail } from "./accidents.js";
import type { CollectiveRun } from "./collectiveRun.js";
import type { ProgramPlan } from "./programPlan.js";
import type { RequestMemory } from "./requestMemory.js";

/** A rank's part in a collective. */
export interface Part {
  readonly run: CollectiveRun;
  readonly collective: number;
  /** Rank of the group. */
  readonly place: number;
  readonly memory: RequestMemory;
  readonly request: EngineRequest;
  /** Whether its owner has used its memory for something else since. */
  reused: boolean;
}

function complain({ run, collective, place, request }: Part, what: string): never {
  const { kind, algorithm } = run.plan;
  throw new Error(
    `Collective ${collective}, ${kind} ${algorithm}, request ${request.match} of group ` +
      `${request.group.id}, on its rank ${place}, start ${request.starts}: ${what}`,
  );
}

/** Nobody may write into the memory of a request that is over. */
export function checkReuse(part: Part): void {
  if (part.reused && !part.memory.isReused()) complain(part, "was written after it was over");
}

/** A request is done: its result must be right, and its time must have come. */
export function checkResult(plan: ProgramPlan, part: Part): void {
  const { run, place, memory, request, collective } = part;
  const start = request.starts;
  if (start !== run.starts[place]) complain(part, `is at start ${start}`);
  if (mustFail(plan, collective)) complain(part, "is done, and cannot be");
  const { startedMs, metMs, movedMs, doneMs } = request.times;
  const movesMs = movedMs < 0 ? metMs : movedMs;
  if (!(startedMs <= metMs && metMs <= movesMs && movesMs <= doneMs)) {
    complain(part, `has impossible times ${JSON.stringify(request.times)}`);
  }
  if (run.plan.kind === "barrier" && run.starts.some((other) => other < start)) {
    complain(part, "ends before all have begun it");
  }
  const input = (index: number): number => run.input(place, start, index);
  const wrong = memory.wrong(input, run.expected(place, start));
  if (wrong !== undefined) complain(part, wrong);
}

/** A request has failed: there must be a reason for it. */
export function checkReason(plan: ProgramPlan, part: Part): void {
  const problem = checkFailure(plan, part.collective, part.request.failure!);
  if (problem !== undefined) complain(part, problem);
}

/** The program is over: so is every request that a living rank has started. */
export function checkAtEnd(plan: ProgramPlan, rank: number, part: Part | undefined): void {
  if (part === undefined || part.request.starts === 0) {
    throw new Error(`Rank ${rank} has never started one of its collectives`);
  }
  const { state, starts } = part.request;
  if (state === "failed") checkUntouched(plan, part);
  else if (state !== "done" || starts !== part.run.plan.starts) {
    complain(part, `is ${state} after ${starts} starts at the end`);
  }
  checkReuse(part);
}

/** Where ranks did not agree, none may have written a byte. */
function checkUntouched(plan: ProgramPlan, part: Part): void {
  const { run, place, memory, request, collective } = part;
  if (request.failure!.kind !== "mismatch" || !mustFail(plan, collective)) return;
  const input = (index: number): number => run.input(place, run.starts[place]!, index);
  if (memory.isUntouched(input, run.givesRecv(place))) return;
  complain(part, "has written into its buffers though ranks do not agree");
}

/** Frees what is persistent and closes all groups: then the engine may hold nothing. */
export function checkEmpty(
  engine: Engine,
  parts: readonly Part[],
  groups: readonly EngineGroup[],
): void {
  const requests = parts.map(({ request }) => request);
  for (const request of requests) if (request.spec.persistent === true) engine.free(request);
  // What was posted and never started, because a rank stayed away, nobody can take back.
  const unstarted = requests.filter(({ spec, starts }) => spec.persistent !== true && starts === 0);
  const { contents } = engine;
  const { posted, held, queued, inFlightBytes } = contents;
  if (posted !== unstarted.length || queued > 0 || inFlightBytes !== 0 || held > 0) {
    throw new Error(`Rank ${engine.rank} has something left over: ${JSON.stringify(contents)}`);
  }
  for (const group of groups) engine.closeGroup(group);
  if (engine.contents.groups > 0) throw new Error(`Rank ${engine.rank} has groups left over`);
}
