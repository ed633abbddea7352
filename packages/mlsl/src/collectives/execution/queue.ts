/**
 * The collectives that a rank has started in a group, in order. The first one is under way, the
 * others follow it: all ranks see the same order.
 */

import { GroupClosedError, RankLostError, TimeoutError } from "../../errors/communicationErrors.js";
import { describe, placeOf } from "../operations/operation.js";
import type { Channel, Counters, Entry } from "../requests/channel.js";
import { lostRanks } from "../requests/lostRanks.js";
import type { Execution } from "./execution.js";
import type { ExecutionContext } from "./meeting.js";
import type { Prepared } from "./prepared.js";

/**
 * How often a rank that shares its core gives way before it waits in earnest: peers that are in step
 * have then all had their turn, and what it costs to wait is saved.
 */
const BRIEF_YIELDS = 10;

/** A collective in the queue. */
export interface CollectiveEntry extends Entry {
  readonly prepared: Prepared;
}

/** Started collectives of a group on one rank. */
export class CollectiveQueue implements Channel {
  readonly counters: Counters;
  readonly #context: ExecutionContext;
  readonly #execution: Execution;
  readonly #entries: CollectiveEntry[] = [];
  #closedBy: Error | undefined;

  constructor(context: ExecutionContext, execution: Execution, counters: Counters) {
    this.#context = context;
    this.#execution = execution;
    this.counters = counters;
  }

  get idle(): boolean {
    return this.#entries.length === 0;
  }

  /** Why nothing can be started any more; undefined while it can. */
  get closedBy(): Error | undefined {
    return this.#closedBy;
  }

  /** An entry for a collective, not started. */
  entryOf(prepared: Prepared, timeoutMs: number): CollectiveEntry {
    const { operation, gives, gets } = prepared;
    return {
      channel: this,
      prepared,
      timeoutMs,
      reads: gives ? operation.send : undefined,
      writes: gets ? operation.recv : undefined,
      state: "queued",
      failure: undefined,
      exposedMs: 0,
    };
  }

  /** @throws {GroupClosedError} If an earlier operation has failed. */
  start(entry: CollectiveEntry): void {
    if (this.#closedBy !== undefined) {
      const operation = describe(entry.prepared.operation);
      throw new GroupClosedError({ ...this.#context.place, operation }, this.#closedBy);
    }
    entry.state = "queued";
    entry.failure = undefined;
    entry.exposedMs = 0;
    this.#entries.push(entry);
  }

  /** Whether a collective would be under way at once. */
  get isFree(): boolean {
    return this.#entries.length === 0 && this.#closedBy === undefined;
  }

  /**
   * Runs a collective at once, in a queue that is free: without an entry, if all ranks come before
   * `spins` looks are over.
   *
   * @returns what is to be waited for; undefined if it has completed
   * @throws {MismatchError} If the ranks ask for different things.
   */
  runBriefly(prepared: Prepared, timeoutMs: number, spins: number): Entry | undefined {
    try {
      this.#execution.begin(prepared);
      if (this.#progressBriefly(spins)) {
        this.#count(prepared);
        return undefined;
      }
    } catch (error) {
      this.close(error as Error);
      throw error;
    }
    const entry = this.entryOf(prepared, timeoutMs);
    entry.state = "running";
    this.#entries.push(entry);
    return entry;
  }

  #progressBriefly(spins: number): boolean {
    if (this.#execution.progress(spins)) return true;
    const { crowded, segment } = this.#context;
    const { giveWay } = segment.parker;
    if (!crowded || giveWay === undefined) return false;
    for (let i = 0; i < BRIEF_YIELDS; i++) {
      giveWay();
      if (this.#execution.progress(spins)) return true;
    }
    return false;
  }

  #count(prepared: Prepared): void {
    this.counters.operations++;
    this.counters.bytes += prepared.byteLength;
  }

  progress(spins: number): void {
    try {
      while (this.#entries.length > 0 && this.#progressFirst(spins));
    } catch (error) {
      this.close(error as Error);
    }
  }

  #progressFirst(spins: number): boolean {
    const first = this.#entries[0]!;
    if (first.state === "queued") {
      this.#execution.begin(first.prepared);
      first.state = "running";
    }
    if (!this.#execution.progress(spins)) return false;
    first.state = "done";
    this.#entries.shift();
    this.#count(first.prepared);
    return true;
  }

  /** Fails everything that is pending: after a failure the ranks are no longer in step. */
  close(failure: Error): void {
    this.#closedBy ??= failure;
    for (const entry of this.#entries.splice(0)) {
      entry.state = "failed";
      entry.failure = failure;
    }
  }

  expire(entry: Entry, waitedMs: number): void {
    if (entry.state === "done" || entry.state === "failed") return;
    const lost = lostRanks(this.#context);
    const timedOut = waitedMs > entry.timeoutMs;
    if (lost.length === 0 && !timedOut) return;
    // A rank may have arrived and ended since the last look.
    this.progress(0);
    const first = this.#entries[0];
    if (first === undefined) return;
    const missing = this.#execution.missing();
    const { place } = this.#context;
    const at = placeOf(place, first.prepared.operation, this.#execution.sequence);
    const lostAndMissing = lost.filter(({ rank }) => missing.includes(rank));
    if (lostAndMissing.length > 0) this.close(new RankLostError(at, lostAndMissing));
    else if (timedOut) this.close(new TimeoutError(at, entry.timeoutMs, missing));
  }
}
