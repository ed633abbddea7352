/** An operation that can be started, in whatever form the caller waits for it. */

import type { Prepared } from "../execution/prepared.js";
import type { CollectiveEntry, CollectiveQueue } from "../execution/queue.js";
import { describe } from "../operations/operation.js";
import type { Entry } from "./channel.js";
import type { Progress } from "./progress.js";

/** What the forms of an operation have in common. */
export interface Task {
  /** An entry for it, not started. */
  newEntry(): Entry;
  /**
   * Starts an entry of this task.
   *
   * @param stays whether the caller goes on before it has completed
   * @throws {TypeError} If a buffer is in use.
   * @throws {GroupClosedError} If the group has failed.
   */
  start(entry: Entry, stays: boolean): void;
}

/** A collective of a group. */
export class CollectiveTask implements Task {
  readonly #progress: Progress;
  readonly #queue: CollectiveQueue;
  readonly #prepared: Prepared;
  readonly #timeoutMs: number;

  constructor(
    { progress, queue }: { progress: Progress; queue: CollectiveQueue },
    prepared: Prepared,
    timeoutMs: number,
  ) {
    this.#progress = progress;
    this.#queue = queue;
    this.#prepared = prepared;
    this.#timeoutMs = timeoutMs;
  }

  newEntry(): CollectiveEntry {
    return this.#queue.entryOf(this.#prepared, this.#timeoutMs);
  }

  start(entry: Entry, stays: boolean): void {
    const what = () => describe(this.#prepared.operation);
    this.#progress.checkBuffers(what, entry.reads, entry.writes);
    // An entry of this task is one of the queue.
    this.#queue.start(entry as CollectiveEntry);
    if (stays) this.#progress.add(entry);
  }
}
