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
   * @throws {TypeError} If a buffer is in use, or the group was closed.
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

/** What a group's collectives need to know of it. */
export interface CollectiveContext {
  readonly progress: Progress;
  readonly queue: CollectiveQueue;
  /** @throws {TypeError} If the group was closed. */
  readonly checkOpen: () => void;
}

/** A collective of a group. */
export class CollectiveTask implements Task {
  readonly #context: CollectiveContext;
  readonly #prepared: Prepared;
  readonly #timeoutMs: number;

  constructor(context: CollectiveContext, prepared: Prepared, timeoutMs: number) {
    this.#context = context;
    this.#prepared = prepared;
    this.#timeoutMs = timeoutMs;
  }

  newEntry(): CollectiveEntry {
    return this.#context.queue.entryOf(this.#prepared, this.#timeoutMs);
  }

  start(entry: Entry): void {
    const { progress, queue, checkOpen } = this.#context;
    checkOpen();
    const what = () => `start ${describe(this.#prepared.operation)}`;
    progress.checkEntry(what, entry);
    // An entry of this task is one of the queue.
    queue.start(entry as CollectiveEntry);
    progress.add(entry);
    // Peers that wait already see this rank at once, however long it computes now.
    queue.progress(0);
  }

  runBriefly(): Entry | undefined {
    const { progress, queue } = this.#context;
    if (progress.hasPending || !queue.isFree) {
      const entry = this.newEntry();
      this.start(entry);
      return entry;
    }
    return queue.runBriefly(this.#prepared, this.#timeoutMs, progress.briefSpins);
  }
}
