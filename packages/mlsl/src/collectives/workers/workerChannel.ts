/**
 * The collectives of a group that progress workers carry out. The rank's thread hands them over, and
 * takes their results where they do not lie in the segment.
 */

import type { Failure } from "../../engine/failure.js";
import { GroupClosedError } from "../../errors/communicationErrors.js";
import { SegmentFullError } from "../../errors/segmentFullError.js";
import { writeTables } from "../../progress/planPrograms.js";
import type { Outcome, PlanHandle, RankDriver, Started } from "../../progress/rankDriver.js";
import type { ExecutionContext } from "../execution/meeting.js";
import type { Prepared } from "../execution/prepared.js";
import type { CollectiveQueue } from "../execution/queue.js";
import { describe, type Operation, placeOf } from "../operations/operation.js";
import type { Channel, Counters, Entry } from "../requests/channel.js";
import type { RequestStatistics } from "../requests/requestStatistics.js";
import { errorOf } from "./failures.js";
import { Matches } from "./matches.js";
import { partsOf } from "./pieces.js";
import { planOf } from "./plans.js";
import {
  type StagedBlocks,
  type Staging,
  stagedBytes,
  stageIn,
  stageOut,
  stagingOf,
  takeStaged,
} from "./staging.js";

/** How long a worker may take to say why a request that nobody waits for any more has failed. */
const ANSWER_MS = 5000;

/** An operation as its caller knows it. */
export interface WholeOperation {
  readonly operation: Operation;
  /** Pieces that are not over. */
  left: number;
}

/** A collective that workers carry out, or a piece of one. */
export interface WorkerEntry extends Entry {
  readonly whole: WholeOperation;
  readonly prepared: Prepared;
  readonly staging: Staging;
  readonly name: string | undefined;
  readonly priority: number | undefined;
  handle: PlanHandle;
  match: number;
  /** Its number in the group, from 1. */
  sequence: number;
  /** Memory of this start; undefined as long as there is none. */
  blocks: StagedBlocks | undefined;
  /** What it was handed over as. */
  started: Started | undefined;
  /** Whether the workers were asked to fail it. */
  isExpired: boolean;
  outcome: Outcome | undefined;
}

/** What a channel is made of. */
export interface WorkerChannelParts {
  readonly context: ExecutionContext;
  readonly driver: RankDriver;
  /** The group's number: the same on all its ranks, and of no other group of theirs. */
  readonly id: number;
  readonly counters: Counters;
  /** The operations of the group that this rank's own thread carries out. */
  readonly queue: CollectiveQueue;
}

/** Says what else helps where a buffer outside the segment does not fit into it. */
function withRemedy(error: SegmentFullError): SegmentFullError {
  error.message +=
    "; progress workers take buffers outside the segment through it: allocate them with " +
    "group.allocate, or do without workers: --progress-workers 0";
  return error;
}

/** Frames of an error's stack: between the caller and the place where it is made lie a dozen. */
const STACK_FRAMES = 30;

/** Makes an error whose stack leads to the caller who waits. */
function withDeepStack(make: () => Error): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.max(limit, STACK_FRAMES);
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** See above. */
export class WorkerChannel implements Channel {
  readonly counters: Counters;
  readonly #parts: WorkerChannelParts;
  readonly #matches = new Matches();
  /** Entries that are not over, in the order of their starts. */
  readonly #pending = new Set<WorkerEntry>();
  /** Those of them for whose buffers there was no room yet: in order, so that all get it in turn. */
  readonly #waiting: WorkerEntry[] = [];
  #sequence = 0;
  #closedBy: Error | undefined;

  constructor(parts: WorkerChannelParts) {
    this.#parts = parts;
    this.counters = parts.counters;
    parts.driver.openGroup(parts.id, parts.context.members);
  }

  get idle(): boolean {
    return this.#pending.size === 0;
  }

  /** Why nothing can be started any more; undefined while it can. */
  get closedBy(): Error | undefined {
    return this.#closedBy ?? this.#parts.queue.closedBy;
  }

  /** An entry for a collective, not started. */
  entryOf(
    prepared: Prepared,
    whole: WholeOperation,
    { timeoutMs, name, priority }: Pick<WorkerEntry, "timeoutMs" | "name" | "priority">,
  ): WorkerEntry {
    const { operation, gives, gets } = prepared;
    const staging = stagingOf(prepared);
    return {
      channel: this,
      whole,
      prepared,
      staging,
      name,
      priority,
      timeoutMs,
      reads: gives ? operation.send : undefined,
      writes: gets ? operation.recv : undefined,
      state: "queued",
      failure: undefined,
      exposedMs: 0,
      handle: this.#handleOf(prepared, staging),
      match: 0,
      sequence: 0,
      blocks: undefined,
      started: undefined,
      isExpired: false,
      outcome: undefined,
    };
  }

  #handleOf(prepared: Prepared, { sendInRecv }: Staging): PlanHandle {
    const { context, driver, id } = this.#parts;
    const { key, make } = planOf(context, prepared, sendInRecv);
    return context.reclaimers.take(() => driver.planFor(id, `${id}|${key}`, make));
  }

  /**
   * Starts an operation: all its pieces.
   *
   * @throws {GroupClosedError} If an earlier operation has failed.
   * @throws {SegmentFullError} If its buffers lie outside the segment and do not fit into it.
   */
  start(parts: readonly WorkerEntry[]): void {
    const { driver, context } = this.#parts;
    const { closedBy } = this;
    const { whole } = parts[0]!;
    if (closedBy !== undefined) {
      const operation = describe(whole.operation);
      throw new GroupClosedError({ ...context.place, operation }, closedBy);
    }
    whole.left = parts.length;
    this.#start(parts[0]!, this.#sequence + 1);
    this.#sequence++;
    // Where the first piece has room the others get theirs in the end.
    for (let i = 1; i < parts.length; i++) this.#startNext(parts[i]!);
    if (driver.crash !== undefined) this.#fail(driver.crash);
  }

  /** Starts a piece of an operation that has begun. */
  #startNext(entry: WorkerEntry): void {
    try {
      this.#start(entry, this.#sequence);
    } catch (error) {
      this.#giveUp(entry, error as Error);
    }
  }

  #start(entry: WorkerEntry, sequence: number): void {
    if (entry.handle.isDropped) entry.handle = this.#handleOf(entry.prepared, entry.staging);
    entry.blocks = undefined;
    entry.started = undefined;
    entry.isExpired = false;
    entry.outcome = undefined;
    entry.failure = undefined;
    entry.exposedMs = 0;
    const hasRoom = this.#takeFirst(entry);
    entry.match = this.#matches.next(entry.name);
    entry.sequence = sequence;
    entry.state = "running";
    this.#pending.add(entry);
    if (hasRoom) this.#handOver(entry);
    else this.#waiting.push(entry);
  }

  /** Holds the plan, and takes the memory if nobody waits for some. */
  #takeFirst(entry: WorkerEntry): boolean {
    entry.handle.users++;
    try {
      return this.#waiting.length === 0 && this.#take(entry);
    } catch (error) {
      entry.handle.users--;
      throw error;
    }
  }

  /** Takes the memory of a start. @returns false if there will be enough when others are over */
  #take(entry: WorkerEntry): boolean {
    const { context } = this.#parts;
    const { prepared, staging, handle } = entry;
    try {
      entry.blocks = takeStaged(context, prepared, staging, handle.scratchBytes);
      return true;
    } catch (error) {
      if (!(error instanceof SegmentFullError)) throw error;
      const comingBytes = this.#stagedBytes();
      const mostBytes = comingBytes + context.segment.availableBytes;
      if (comingBytes === 0 || mostBytes < error.neededBytes) throw withRemedy(error);
      return false;
    }
  }

  /** Bytes that come back when what is under way is over. */
  #stagedBytes(): number {
    let sum = 0;
    for (const { blocks, staging, handle } of this.#pending) {
      if (blocks !== undefined) sum += stagedBytes(staging, handle.scratchBytes);
    }
    return sum;
  }

  #handOver(entry: WorkerEntry): void {
    const { context, driver, id } = this.#parts;
    const { prepared, staging, handle, match, priority, timeoutMs } = entry;
    const blocks = entry.blocks!;
    stageIn(context, prepared, staging, blocks);
    const { send, recv, scratch } = blocks;
    if (handle.plan.tables !== undefined) {
      writeTables(context.segment.buffer, scratch, handle.plan);
    }
    entry.started = driver.start({
      handle,
      group: id,
      match,
      send,
      recv,
      scratch,
      priority,
      timeoutMs,
      over: (outcome) => this.#over(entry, outcome),
    });
  }

  #over(entry: WorkerEntry, outcome: Outcome): void {
    const { context } = this.#parts;
    entry.outcome = outcome;
    const { prepared, staging, blocks } = entry;
    if (outcome.failure !== undefined) {
      this.#failBy(entry, outcome.failure);
      // Pieces that were started after the group had failed.
      if (this.#pending.has(entry)) this.#fail(this.#closedBy!);
    } else if (entry.state === "running") {
      stageOut(context, prepared, staging, blocks!);
      entry.state = "done";
      this.#count(entry);
      this.#pending.delete(entry);
    }
    if (blocks!.taken !== 0) context.segment.freeBytes(blocks!.taken);
    entry.blocks = undefined;
    entry.handle.users--;
  }

  /** Counts what is over; meetings are counted by whom they are for. */
  #count({ whole, prepared, handle }: WorkerEntry): void {
    if (handle.plan.meetsOnly === true) return;
    if (--whole.left === 0) this.counters.operations++;
    this.counters.bytes += prepared.byteLength;
  }

  progress(spins: number): void {
    this.#parts.driver.drain(spins);
    while (this.#waiting.length > 0) {
      const entry = this.#waiting[0]!;
      try {
        if (!this.#take(entry)) return;
        this.#handOver(entry);
        this.#waiting.shift();
      } catch (error) {
        this.#giveUp(entry, error as Error);
      }
    }
  }

  /** Fails the group, as this rank cannot do its part. */
  #giveUp(entry: WorkerEntry, error: Error): void {
    const { context, driver, id } = this.#parts;
    const rank = context.segment.rank;
    driver.failGroup(id, { kind: "badMessage", rank, reason: `no part: ${error.message}` });
    entry.state = "failed";
    entry.failure = error;
    this.#fail(error);
  }

  #failBy(entry: WorkerEntry, failure: Failure): void {
    if (this.#closedBy !== undefined) return;
    const { context, driver, id } = this.#parts;
    const asked = "match" in failure ? this.#find(failure.match) : undefined;
    const { whole, sequence } = asked ?? entry;
    const at = placeOf(context.place, whole.operation, sequence);
    const { segment, members } = context;
    // The other workers of this rank do not hear of it from their peers.
    if (driver.blocks.length > 1) driver.failGroup(id, failure);
    this.#fail(withDeepStack(() => errorOf(failure, { segment, members, at })));
  }

  /** The entry that engines know by a match; they give each two, as some have two parts. */
  #find(match: number | string): WorkerEntry | undefined {
    for (const entry of this.#pending) {
      if (entry.match === Math.floor(Number(match) / 2)) return entry;
    }
    return undefined;
  }

  /** Fails everything that is pending: after a failure the ranks are no longer in step. */
  #fail(error: Error): void {
    this.#closedBy ??= error;
    for (const entry of this.#pending) {
      entry.state = "failed";
      entry.failure ??= error;
    }
    this.#pending.clear();
    for (const { handle } of this.#waiting.splice(0)) handle.users--;
    this.#parts.queue.close(error);
  }

  expire(entry: Entry, waitedMs: number): void {
    const { driver, id, context } = this.#parts;
    if (driver.crash !== undefined) {
      this.#fail(driver.crash);
      return;
    }
    if (waitedMs <= entry.timeoutMs) return;
    const own = partsOf(entry).find(({ state }) => state === "running");
    if (own === undefined) return;
    if (!own.isExpired) {
      own.isExpired = true;
      if (own.started !== undefined) driver.expire(own.started, entry.timeoutMs);
      else {
        const { match } = own;
        const { rank } = context;
        const { timeoutMs } = entry;
        const failure: Failure = {
          kind: "timeout",
          match: 2 * match,
          timeoutMs,
          rank,
          missing: [rank],
        };
        driver.failGroup(id, failure);
        this.#failBy(own, failure);
      }
    } else if (waitedMs > entry.timeoutMs + ANSWER_MS) {
      const { rank } = context.segment;
      this.#fail(new Error(`The progress workers of rank ${rank} do not answer`));
    }
  }

  statisticsOf(entry: Entry): RequestStatistics {
    const { exposedMs } = entry;
    const outcomes = partsOf(entry).flatMap(({ outcome }) => outcome ?? []);
    const sum = (of: "queuedMs" | "waitingMs" | "movingMs" | "reducingMs") => {
      return outcomes.reduce((total, outcome) => total + outcome[of], 0);
    };
    const totalMs = outcomes.reduce((longest, outcome) => Math.max(longest, outcome.totalMs), 0);
    return {
      queuedMs: sum("queuedMs"),
      waitingMs: sum("waitingMs"),
      movingMs: sum("movingMs"),
      reducingMs: sum("reducingMs"),
      exposedMs,
      hiddenMs: Math.max(0, totalMs - exposedMs),
    };
  }

  /** Makes the workers forget the group; nothing is under way in it. */
  close(): void {
    this.#parts.driver.closeGroup(this.#parts.id);
  }
}
