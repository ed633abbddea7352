/** Requests of a worker that are under way, and what is kept of those that are over for the next. */

import type { DataPart, Match } from "../engine/frames.js";
import type { Program } from "../engine/program.js";
import type { EngineRequest, RequestSpec } from "../engine/request.js";
import type { Plan } from "./plan.js";
import { type RecordMemory, START } from "./records.js";
import type { WireFingerprint } from "./wire.js";

/** A plan as a worker has it. */
export interface KnownPlan {
  readonly plan: Plan;
  readonly fingerprint: WireFingerprint;
  /** Made when it is started first. */
  program: Program | undefined;
  /** Starts of it that are over: the next one takes one of these instead of making all anew. */
  readonly idle: Running[];
}

/** How long a request took, in milliseconds, of all that it consists of. */
export interface Spent {
  queuedMs: number;
  waitingMs: number;
  movingMs: number;
  reducingMs: number;
}

/** What the engine is asked for on behalf of a start. */
export class StartSpec implements RequestSpec {
  readonly running: Running;
  readonly fingerprint: string;
  readonly program: Program;
  /** Whoever waits decides for how long. */
  readonly timeoutMs: number = Number.POSITIVE_INFINITY;
  readonly reposted: boolean = true;
  match: Match = 0;

  constructor(running: Running, fingerprint: string, program: Program) {
    this.running = running;
    this.fingerprint = fingerprint;
    this.program = program;
  }

  get priority(): number | undefined {
    return this.running.priority;
  }
}

/** A start of a plan. */
export class Running {
  readonly known: KnownPlan;
  slot = -1;
  match = -1;
  priority: number | undefined;
  /** The rank's start, on the shared clock. */
  atMs = 0;
  /** Of "send", "recv" and "scratch", as programs number them. */
  readonly bases: [number, number, number] = [0, 0, 0];
  readonly spent: Spent = { queuedMs: 0, waitingMs: 0, movingMs: 0, reducingMs: 0 };
  /** Whether it is still about the tables of the ranks. */
  isAboutTables = false;
  /** What the engine has of it: the exchange of tables if there is one, and the operation. */
  tablesRequest: EngineRequest | undefined;
  mainRequest: EngineRequest | undefined;

  constructor(known: KnownPlan) {
    this.known = known;
  }

  /** What the engine has under way. */
  get request(): EngineRequest {
    return (this.isAboutTables ? this.tablesRequest : this.mainRequest)!;
  }

  /** Takes what a command says. */
  begin({ words, numbers }: RecordMemory, word: number, nowMs: number): void {
    const priority = numbers[word / 2 + START.priority]!;
    this.slot = words[word + START.slot]!;
    this.match = numbers[word / 2 + START.match]!;
    this.priority = Number.isNaN(priority) ? undefined : priority;
    this.atMs = numbers[word / 2 + START.atMs]!;
    this.bases[0] = words[word + START.send]! >>> 0; // bits: addresses are unsigned
    this.bases[1] = words[word + START.recv]! >>> 0; // bits: as above
    this.bases[2] = words[word + START.scratch]! >>> 0; // bits: as above
    this.isAboutTables = this.known.plan.tables !== undefined;
    this.spent.queuedMs = Math.max(0, nowMs - this.atMs);
    this.spent.waitingMs = 0;
    this.spent.movingMs = 0;
    this.spent.reducingMs = 0;
  }

  /** The match of its request: an operation whose counts vary has two parts, so each start has two. */
  get requestMatch(): number {
    return 2 * this.match + (this.known.plan.tables !== undefined && !this.isAboutTables ? 1 : 0);
  }
}

/** The start that a request of the engine stands for. */
export function runningOf({ spec }: EngineRequest): Running {
  if (spec instanceof StartSpec) return spec.running;
  throw new TypeError("Cannot find the start of a request that no worker has posted");
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
  readonly #bySlot: (Running | undefined)[] = [];
  /** Chunks that peers may be reading, by the number that they were told. */
  readonly #leaving: (DataPart | undefined)[] = [];
  /** How often each number was given away: words about a chunk of a group that has failed may be late. */
  readonly #stamps: number[] = [];
  /** Numbers that are free again. */
  readonly #free: number[] = [];

  add(running: Running): void {
    this.#bySlot[running.slot] = running;
  }

  remove({ slot }: Running): void {
    this.#bySlot[slot] = undefined;
  }

  ofSlot(slot: number): Running | undefined {
    return this.#bySlot[slot];
  }

  /** Numbers a chunk that leaves. */
  numberOf(part: DataPart): number {
    const number = this.#free.pop() ?? this.#leaving.length;
    this.#leaving[number] = part;
    this.#stamps[number] = ((this.#stamps[number] ?? 0) + 1) | 0; // bits: wraps, as it travels in 32 bits
    return number;
  }

  /** Tells the chunks of a number apart. */
  stampOf(number: number): number {
    return this.#stamps[number]!;
  }

  /** Takes the chunk of a number as read; undefined if its group has failed meanwhile. */
  takeRead(number: number, stamp: number): DataPart | undefined {
    const part = this.#leaving[number];
    if (part === undefined || this.#stamps[number] !== stamp) return undefined;
    this.#leaving[number] = undefined;
    this.#free.push(number);
    return part;
  }

  /** Forgets the chunks of a group. */
  forgetGroup(group: number): void {
    for (let number = 0; number < this.#leaving.length; number++) {
      if (this.#leaving[number]?.group !== group) continue;
      this.#leaving[number] = undefined;
      this.#free.push(number);
    }
  }
}
