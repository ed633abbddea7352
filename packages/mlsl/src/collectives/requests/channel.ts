/** What a rank can wait for, and what moves it on. */

import type { ElementArray } from "../../memory/dataTypes.js";
import type { RequestStatistics } from "./requestStatistics.js";

/** Where a buffer lies; asking a typed array for it costs more than comparing it with many. */
export interface BufferPlace {
  readonly buffer: ArrayBufferLike;
  readonly begin: number;
  readonly end: number;
}

/** The places of what an operation reads and what it writes. */
export interface BufferPlaces {
  readonly reads: BufferPlace | undefined;
  readonly writes: BufferPlace | undefined;
}

/** An operation that was started. */
export interface Entry {
  /** What moves it on. */
  readonly channel: Channel;
  /** Milliseconds that a wait for it may last. */
  readonly timeoutMs: number;
  /** What it reads and what it writes. */
  readonly reads: ElementArray | undefined;
  readonly writes: ElementArray | undefined;
  state: "queued" | "running" | "done" | "failed";
  failure: Error | undefined;
  /** Milliseconds that this rank's thread was held in waits for it, since its last start. */
  exposedMs: number;
  /** Where its buffers lie, once that was asked, if they stay there. */
  places?: BufferPlaces;
}

/** Whether an entry has completed or failed. */
export function isSettled({ state }: Entry): boolean {
  return state === "done" || state === "failed";
}

/** Counts of what a group has done. */
export interface Counters {
  operations: number;
  bytes: number;
  exposedMs: number;
}

/** Operations that are moved on together: the collectives of a group, or its messages. */
export interface Channel {
  readonly counters: Counters;
  /** Whether nothing is pending. */
  readonly idle: boolean;
  /**
   * Moves everything on as far as it can without waiting longer than `spins` looks. Never throws:
   * failures are kept in the entries.
   */
  progress(spins: number): void;
  /**
   * Fails a pending entry that cannot succeed any more, because a rank has ended or a wait for it
   * lasts longer than it may.
   *
   * @param waitedMs how long the wait has lasted
   */
  expire(entry: Entry, waitedMs: number): void;
  /** Where the time of an entry went; absent where only the time in waits is known. */
  statisticsOf?(entry: Entry): RequestStatistics;
}
