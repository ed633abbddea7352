/**
 * The operations that a rank has started in a group, in order, and the ways to wait for them.
 * The first one is under way, the others follow it: all ranks see the same order.
 */

import {
  GroupClosedError,
  type LostRank,
  RankLostError,
  TimeoutError,
} from "../errors/communicationErrors.js";
import type { Segment } from "../memory/segment.js";
import type { Execution } from "./execution.js";
import type { GroupMemory } from "./groupMemory.js";
import { describe, type GroupPlace, placeOf } from "./operation.js";
import type { Prepared } from "./prepared.js";

/**
 * Looks before the clock is asked at all: about a microsecond, in which a peer that is in step
 * arrives. Asking the clock twice costs a tenth of that, a third of a small all-reduce.
 */
const BRIEF_SPINS = 1000;

/**
 * Looks before a rank goes to sleep, when every rank has a core: some 40 microseconds, several
 * times what a sleep and a wake cost (12 to 25), so that a rank sleeps only when it pays.
 */
const PATIENT_SPINS = 40000;

/** The same when ranks share cores: the peer cannot arrive while this rank holds its core. */
const CROWDED_SPINS = 50;

/** How often a sleeping rank looks whether a peer has ended or its time is up. */
const TICK_MS = 50;

/** Turns of the event loop in which a promise looks again at once, before it uses a timer. */
const EAGER_TURNS = 200;

/**
 * Longest pause between two looks of a promise: a hundred looks a second cost less than 1 % of a
 * core. It is reached after a second of waiting.
 */
const MAX_PAUSE_MS = 10;
/** Looks after which the pause grows by a millisecond. */
const LOOKS_PER_PAUSE = 20;

/** What a queue needs to know of its group. */
export interface QueueContext {
  readonly segment: Segment;
  readonly memory: GroupMemory;
  readonly execution: Execution;
  readonly place: GroupPlace;
  /** Whether ranks must share cores. */
  readonly crowded: boolean;
}

/** An operation in the queue. */
export interface Entry {
  readonly prepared: Prepared;
  readonly timeoutMs: number;
  state: "queued" | "running" | "done" | "failed";
  failure: Error | undefined;
}

/** Counts of what a group has done. */
export interface Counters {
  operations: number;
  bytes: number;
  exposedMs: number;
}

/** Started operations of a group on one rank. */
export class OperationQueue {
  readonly counters: Counters = { operations: 0, bytes: 0, exposedMs: 0 };
  readonly #context: QueueContext;
  readonly #entries: Entry[] = [];
  #closedBy: Error | undefined;

  constructor(context: QueueContext) {
    this.#context = context;
  }

  /** @throws {GroupClosedError} If an earlier operation has failed. */
  start(prepared: Prepared, timeoutMs: number): Entry {
    if (this.#closedBy !== undefined) {
      const place = { ...this.#context.place, operation: describe(prepared.operation) };
      throw new GroupClosedError(place, this.#closedBy);
    }
    const entry: Entry = { prepared, timeoutMs, state: "queued", failure: undefined };
    this.#entries.push(entry);
    return entry;
  }

  /** Moves the queue on until the entry is done or nothing more can be done without waiting. */
  progress(entry: Entry, spins: number): boolean {
    while (entry.state !== "done") {
      if (entry.state === "failed") throw entry.failure!;
      if (!this.#progressFirst(spins)) return false;
    }
    return true;
  }

  #progressFirst(spins: number): boolean {
    const first = this.#entries[0]!;
    try {
      if (first.state === "queued") {
        this.#context.execution.begin(first.prepared);
        first.state = "running";
      }
      if (!this.#context.execution.progress(spins)) return false;
    } catch (error) {
      this.#close(error as Error);
      throw error;
    }
    first.state = "done";
    this.#entries.shift();
    this.counters.operations++;
    this.counters.bytes += first.prepared.byteLength;
    return true;
  }

  /** Fails everything that is pending: after a failure the ranks are no longer in step. */
  #close(failure: Error): void {
    this.#closedBy = failure;
    for (const entry of this.#entries.splice(0)) {
      entry.state = "failed";
      entry.failure = failure;
    }
  }

  /** Blocks the thread until the entry is done. */
  waitSync(entry: Entry): void {
    if (this.progress(entry, this.#context.crowded ? CROWDED_SPINS : BRIEF_SPINS)) return;
    const startMs = performance.now();
    try {
      while (!this.progress(entry, this.#context.crowded ? CROWDED_SPINS : PATIENT_SPINS)) {
        this.#sleep(entry);
        this.#check(entry, startMs);
      }
    } finally {
      this.counters.exposedMs += performance.now() - startMs;
    }
  }

  #sleep(entry: Entry): void {
    const { segment, memory } = this.#context;
    const { sleepers, wakeCount } = memory.control;
    // Safe: the count of wakes is read before this rank counts itself as a sleeper, and the peers
    // are looked at after that. Whoever arrives later sees the sleeper and changes the count, so
    // the sleep returns at once.
    const wakes = Atomics.load(segment.words, wakeCount / 4);
    Atomics.add(segment.words, sleepers / 4, 1);
    try {
      if (!this.progress(entry, 0)) segment.parker.sleep(wakeCount, wakes, TICK_MS);
    } finally {
      // Safe: only counts; every rank takes away the one that it added.
      Atomics.sub(segment.words, sleepers / 4, 1);
    }
  }

  /**
   * Ends a wait that cannot succeed.
   *
   * @throws {RankLostError} If a rank that is waited for has ended.
   * @throws {TimeoutError} If the time is up.
   */
  #check(entry: Entry, startMs: number): void {
    if (entry.state === "done") return;
    const { execution } = this.#context;
    const lost = this.#lostRanks();
    const timedOut = performance.now() - startMs > entry.timeoutMs;
    if (lost.length === 0 && !timedOut) return;
    // A rank may have arrived and ended since the last look.
    if (this.progress(entry, 0)) return;
    const missing = execution.missing();
    const place = placeOf(
      this.#context.place,
      this.#entries[0]!.prepared.operation,
      execution.sequence,
    );
    const lostAndMissing = lost.filter(({ rank }) => missing.includes(rank));
    const failure =
      lostAndMissing.length > 0
        ? new RankLostError(place, lostAndMissing)
        : timedOut
          ? new TimeoutError(place, entry.timeoutMs, missing)
          : undefined;
    if (failure === undefined) return;
    this.#close(failure);
    throw failure;
  }

  #lostRanks(): LostRank[] {
    const { segment } = this.#context;
    const lost: LostRank[] = [];
    for (let rank = 0; rank < segment.ranks; rank++) {
      const status = segment.statusOf(rank);
      if (status.kind !== "running") lost.push({ rank, status });
    }
    return lost;
  }

  /** Resolves when the entry is done; the event loop turns meanwhile. */
  async wait(entry: Entry): Promise<void> {
    const startMs = performance.now();
    for (let turns = 0; !this.progress(entry, 0); turns++) {
      this.#check(entry, startMs);
      await pause(turns - EAGER_TURNS);
    }
  }
}

/** Lets the event loop turn, ever longer: at once while looks are negative, then by timers. */
function pause(looks: number): Promise<void> {
  if (looks < 0) return new Promise((resolve) => setImmediate(resolve));
  const pauseMs = Math.min(MAX_PAUSE_MS, 1 + Math.floor(looks / LOOKS_PER_PAUSE));
  return new Promise((resolve) => setTimeout(resolve, pauseMs));
}
