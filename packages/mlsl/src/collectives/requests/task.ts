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
   * @throws {TypeError} If a buffer is in use.
   * @throws {GroupClosedError} If the group has failed.
   */
  start(entry: Entry): void;
  /**
   * Starts the task and looks for a microsecond, in which peers that are in step arrive.
   *
   * @returns what is to be waited for; undefined if it has completed
   * @throws What {@link Task.start} throws, and what the operation failed with.
   */
  runBriefly(): Entry | undefined;
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

  start(entry: Entry): void {
    const what = () => describe(this.#prepared.operation);
    this.#progress.checkBuffers(what, entry.reads, entry.writes);
    // An entry of this task is one of the queue.
    this.#queue.start(entry as CollectiveEntry);
    this.#progress.add(entry);
    // Peers that wait already see this rank at once, however long it computes now.
    this.#queue.progress(0);
  }

  runBriefly(): Entry | undefined {
    const progress = this.#progress;
    if (progress.hasPending || !this.#queue.isFree) {
      const entry = this.newEntry();
      this.start(entry);
      return entry;
    }
    return this.#queue.runBriefly(this.#prepared, this.#timeoutMs, progress.briefSpins);
  }
}
