/**
 * Plays a random program and checks all of it: every result bit for bit, nothing written where or
 * when it must not be, nothing that waits for ever, nothing left over, nobody passed over too often.
 */

import type { EngineGroup } from "../../engine/group.js";
import type { EngineRequest } from "../../engine/request.js";
import { Cluster } from "../cluster.js";
import { Random } from "../random.js";
import { CollectiveRun } from "./collectiveRun.js";
import { MemoryPayload } from "./memoryPayload.js";
import {
  checkAtEnd,
  checkEmpty,
  checkReason,
  checkResult,
  checkReuse,
  type Part,
} from "./partChecks.js";
import type { ProgramPlan } from "./programPlan.js";
import { ProgramProbe, type TraceEvent } from "./programProbe.js";
import { type RankScript, scriptOf } from "./rankScript.js";

/** Limits of a run: a program takes some thousand events and some virtual seconds. */
const LIMITS = { events: 3e6, ms: 1e5 };

/** What a run comes to. */
export interface ProgramResult {
  readonly seed: number;
  readonly ranks: number;
  readonly collectives: number;
  readonly requestsDone: number;
  readonly requestsFailed: number;
  readonly events: number;
  readonly frames: number;
  readonly kernels: number;
  readonly virtualMs: number;
  /** The most times in a row that the oldest request was passed over. */
  readonly longestPassed: number;
}

/** A program under way. */
class ProgramRun {
  readonly #plan: ProgramPlan;
  readonly #random: Random;
  readonly #probe: ProgramProbe;
  readonly #payload = new MemoryPayload();
  readonly #cluster: Cluster;
  readonly #runs: readonly CollectiveRun[];
  /** By rank and collective. */
  readonly #parts: Map<number, Part>[];
  readonly #byRequest = new Map<EngineRequest, Part>();
  readonly #groups: Map<number, EngineGroup>[];
  /** By blocking rank: what it starts when the one before is over. */
  readonly #next = new Map<EngineRequest, () => void>();
  #done = 0;
  #failed = 0;

  constructor(plan: ProgramPlan, trace?: (event: TraceEvent) => void) {
    const { seed, network, mode, chunkBytes, windowBytes, kernels, faults, groups } = plan;
    this.#plan = plan;
    this.#random = new Random(seed + 1);
    this.#probe = new ProgramProbe(windowBytes, trace);
    this.#cluster = new Cluster({
      ...{ network, mode, chunkBytes, windowBytes, kernels, faults, seed },
      ...{ payload: this.#payload, probe: this.#probe },
    });
    this.#cluster.onSettled = (rank, request) => this.#settled(rank, request);
    this.#runs = plan.collectives.map(
      (collective, i) => new CollectiveRun(collective, groups[collective.group]!, seed + 7 * i),
    );
    this.#parts = groups[0]!.map(() => new Map<number, Part>());
    this.#groups = groups[0]!.map(() => new Map<number, EngineGroup>());
  }

  play(): ProgramResult {
    const { accident, groups, seed } = this.#plan;
    const { clock, ranks } = this.#cluster;
    for (const rank of groups[0]!) this.#schedule(scriptOf(this.#plan, rank, this.#random));
    if (accident?.kind === "death" || accident?.kind === "disconnect") {
      clock.at(accident.atMs, () => this.#happen());
    }
    this.#cluster.run(LIMITS);
    this.#checkEnd();
    const { frames, kernels, longestPassed } = this.#probe;
    return {
      ...{ seed, ranks, collectives: this.#runs.length },
      ...{ requestsDone: this.#done, requestsFailed: this.#failed },
      ...{ events: clock.eventCount, frames, kernels, virtualMs: clock.nowMs, longestPassed },
    };
  }

  #happen(): void {
    const { accident, spreadMs } = this.#plan;
    this.#probe.lose();
    const noticeMs = (): number => this.#random.next() * spreadMs;
    if (accident?.kind === "death") this.#cluster.kill(accident.rank, noticeMs);
    if (accident?.kind !== "disconnect") return;
    const [a, b] = accident.ranks as [number, number];
    this.#cluster.disconnect(a, b, noticeMs);
  }

  /** Puts on the clock what a rank does. */
  #schedule(script: RankScript): void {
    const { clock } = this.#cluster;
    const { rank, blocking, starts } = script;
    for (const { group, openMs, upfront } of script.groups) {
      clock.at(openMs, () => this.#open(rank, group, upfront));
    }
    if (blocking) this.#startNext(rank, starts, 0);
    else for (const { collective, atMs } of starts) this.#startAt(rank, collective, atMs);
  }

  #open(rank: number, group: number, upfront: boolean): void {
    if (this.#cluster.isDead(rank)) return;
    const { groups, collectives } = this.#plan;
    const opened = this.#cluster.openGroup(rank, group, groups[group]!);
    this.#groups[rank]!.set(group, opened);
    if (!upfront) return;
    collectives.forEach((plan, index) => {
      if (plan.group === group) this.#post(rank, index);
    });
  }

  /** The collective at a place of a rank's list, then what comes after it. */
  #startNext(rank: number, starts: RankScript["starts"], place: number): void {
    const start = starts[place];
    if (start === undefined) return;
    const { clock } = this.#cluster;
    const goOn = (): void => this.#startNext(rank, starts, place + 1);
    this.#startAt(rank, start.collective, Math.max(clock.nowMs, start.atMs), goOn);
  }

  #startAt(rank: number, collective: number, atMs: number, whenOver?: () => void): void {
    this.#cluster.clock.at(atMs, () => {
      if (this.#cluster.isDead(rank)) return;
      if (this.#isAbsent(rank, collective)) {
        // What comes after it in the group's order keeps its place.
        if (!this.#parts[rank]!.has(collective)) this.#post(rank, collective);
        whenOver?.();
        return;
      }
      const part = this.#parts[rank]!.get(collective) ?? this.#post(rank, collective);
      if (whenOver !== undefined) this.#next.set(part.request, whenOver);
      this.#start(rank, part);
    });
  }

  #isAbsent(rank: number, collective: number): boolean {
    const { accident } = this.#plan;
    if (accident?.kind !== "absent" || accident.collective !== collective) return false;
    return this.#runs[collective]!.members[accident.rank] === rank;
  }

  #post(rank: number, collective: number): Part {
    const run = this.#runs[collective]!;
    const place = run.members.indexOf(rank);
    const { plan, operator } = run;
    const { accident } = this.#plan;
    const isOther =
      accident?.kind === "mismatch" &&
      accident.collective === collective &&
      accident.ranks.includes(place);
    const memory = run.memory(place);
    const request = this.#cluster.engine(rank).post(this.#groups[rank]!.get(plan.group)!, {
      fingerprint: isOther ? `other ${run.fingerprint}` : run.fingerprint,
      program: run.program(place, this.#cluster.chunkBytes),
      timeoutMs: plan.timeoutMs,
      persistent: plan.persistent,
      ...(plan.name !== undefined && { name: plan.name }),
      ...(plan.priority !== undefined && { priority: plan.priority }),
    });
    const part: Part = { run, collective, place, memory, request, reused: false };
    this.#payload.add(request, { memory, operator });
    this.#parts[rank]!.set(collective, part);
    this.#byRequest.set(request, part);
    return part;
  }

  #start(rank: number, part: Part): void {
    const { run, place, memory, request } = part;
    checkReuse(part);
    const start = ++run.starts[place]!;
    part.reused = false;
    memory.prepare((index) => run.input(place, start, index), run.givesRecv(place));
    this.#cluster.start(rank, request);
  }

  #settled(rank: number, request: EngineRequest): void {
    const part = this.#byRequest.get(request)!;
    if (request.state === "done") {
      this.#done++;
      checkResult(this.#plan, part);
      part.memory.reuse();
      part.reused = true;
    } else {
      this.#failed++;
      checkReason(this.#plan, part);
    }
    const { plan } = part.run;
    if (request.state === "done" && request.starts < plan.starts) {
      const pauseMs = this.#random.next() * this.#plan.spreadMs * 0.2;
      this.#cluster.clock.after(pauseMs, () => {
        if (!this.#cluster.isDead(rank)) this.#start(rank, part);
      });
      return;
    }
    const goOn = this.#next.get(request);
    this.#next.delete(request);
    goOn?.();
  }

  #checkEnd(): void {
    const { accident } = this.#plan;
    for (const [rank, parts] of this.#parts.entries()) {
      if (this.#cluster.isDead(rank)) continue;
      this.#runs.forEach((run, collective) => {
        if (!run.members.includes(rank) || this.#isAbsent(rank, collective)) return;
        checkAtEnd(this.#plan, rank, parts.get(collective));
      });
      const groups = this.#groups[rank]!.values();
      checkEmpty(this.#cluster.engine(rank), [...parts.values()], [...groups]);
    }
    const kept = this.#payload.keptCount;
    if (accident === undefined && kept > 0) {
      throw new Error(`${kept} chunks have been read and not been used`);
    }
  }
}

/**
 * Plays a program.
 *
 * @param trace is told everything that happens
 * @throws {Error} if anything is not as it must be; its message has the seed
 */
export function playProgram(plan: ProgramPlan, trace?: (event: TraceEvent) => void): ProgramResult {
  try {
    return new ProgramRun(plan, trace).play();
  } catch (error) {
    const { seed } = plan;
    const how = `npm run simulate -- --seed ${seed} --trace`;
    throw new Error(`Seed ${seed}: ${(error as Error).message} (${how})`, { cause: error });
  }
}
