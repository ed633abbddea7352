/** Requests of a worker that are under way. */

import type { DataPart, Match } from "../engine/frames.js";
import type { Program } from "../engine/program.js";
import type { EngineRequest } from "../engine/request.js";
import type { Plan } from "./plan.js";
import type { WireFingerprint } from "./wire.js";

/** A plan as a worker has it. */
export interface KnownPlan {
  readonly plan: Plan;
  readonly fingerprint: WireFingerprint;
  /** Made when it is started first. */
  program: Program | undefined;
}

/** How long a request took, in milliseconds, of all that it consists of. */
export interface Spent {
  queuedMs: number;
  waitingMs: number;
  movingMs: number;
  reducingMs: number;
}

/** A start of a plan. */
export interface Running {
  readonly slot: number;
  readonly known: KnownPlan;
  readonly match: number;
  readonly priority: number | undefined;
  /** The rank's start, on the shared clock. */
  readonly atMs: number;
  /** Of "send", "recv" and "scratch", as programs number them. */
  readonly bases: readonly [number, number, number];
  readonly spent: Spent;
  /** What the engine has of it at the moment. */
  request: EngineRequest;
  /** Whether it is still about the tables of the ranks. */
  isAboutTables: boolean;
}

/** Adds what a request of the engine took. */
export function addTimes(spent: Spent, { times, state }: EngineRequest): void {
  const { startedMs, metMs, movedMs, doneMs, kernelMs } = times;
  // A meeting that has failed has not been.
  const met = state === "done" ? metMs : doneMs;
  const moved = Math.max(movedMs, met);
  spent.waitingMs += met - startedMs;
  spent.queuedMs += moved - met;
  spent.reducingMs += kernelMs;
  spent.movingMs += Math.max(0, doneMs - moved - kernelMs);
}

/** All of a worker, by what they are asked for. */
export class RunningRequests {
  readonly #bySlot = new Map<number, Running>();
  readonly #byRequest = new Map<EngineRequest, Running>();
  readonly #byGroup = new Map<number, Map<Match, Running>>();
  /** Chunks that peers may be reading, by the number that they were told. */
  readonly #leaving = new Map<number, DataPart>();
  #chunks = 0;

  add(running: Running): void {
    this.#bySlot.set(running.slot, running);
    this.#byRequest.set(running.request, running);
    const { group, match } = running.request;
    const requests = this.#byGroup.get(group.id) ?? new Map<Match, Running>();
    requests.set(match, running);
    this.#byGroup.set(group.id, requests);
  }

  /** Forgets what the engine has of a request. */
  remove({ slot, request }: Running): void {
    this.#bySlot.delete(slot);
    this.#byRequest.delete(request);
    this.#byGroup.get(request.group.id)?.delete(request.match);
  }

  ofSlot(slot: number): Running | undefined {
    return this.#bySlot.get(slot);
  }

  of(request: EngineRequest): Running {
    return this.#byRequest.get(request)!;
  }

  find(group: number, match: Match): Running | undefined {
    return this.#byGroup.get(group)?.get(match);
  }

  /** Numbers a chunk that leaves. */
  numberOf(part: DataPart): number {
    this.#chunks = (this.#chunks + 1) | 0; // bits: wraps, as it travels in 32 bits
    this.#leaving.set(this.#chunks, part);
    return this.#chunks;
  }

  /** Takes the chunk of a number as read; undefined if its group has failed meanwhile. */
  takeRead(number: number): DataPart | undefined {
    const part = this.#leaving.get(number);
    this.#leaving.delete(number);
    return part;
  }

  /** Forgets what is left of a group. */
  forgetGroup(group: number): void {
    this.#byGroup.delete(group);
    for (const [number, part] of this.#leaving) {
      if (part.group === group) this.#leaving.delete(number);
    }
  }
}
