/** A collective that progress workers carry out, in whatever form the caller waits for it. */

import type { Prepared } from "../execution/prepared.js";
import { describe } from "../operations/operation.js";
import { type Entry, isSettled } from "../requests/channel.js";
import type { Progress } from "../requests/progress.js";
import type { Task } from "../requests/task.js";
import type { WorkerChannel, WorkerEntry } from "./workerChannel.js";

/** What a group's collectives need to know of it. */
export interface WorkerContext {
  readonly progress: Progress;
  readonly channel: WorkerChannel;
  /** @throws {TypeError} If the group was closed. */
  readonly checkOpen: () => void;
}

/** What a caller has chosen. */
export type WorkerChoices = Pick<WorkerEntry, "timeoutMs" | "name" | "priority">;

/** See above. */
export class WorkerTask implements Task {
  readonly #context: WorkerContext;
  readonly #prepared: Prepared;
  readonly #choices: WorkerChoices;

  constructor(context: WorkerContext, prepared: Prepared, choices: WorkerChoices) {
    this.#context = context;
    this.#prepared = prepared;
    this.#choices = choices;
  }

  newEntry(): WorkerEntry {
    return this.#context.channel.entryOf(this.#prepared, this.#choices);
  }

  start(entry: Entry): void {
    const { progress, channel, checkOpen } = this.#context;
    checkOpen();
    const what = () => `start ${describe(this.#prepared.operation)}`;
    progress.checkEntry(what, entry);
    // An entry of this task is one of the channel.
    channel.start(entry as WorkerEntry);
    progress.add(entry);
  }

  runBriefly(): Entry | undefined {
    const { progress, channel } = this.#context;
    const entry = this.newEntry();
    this.start(entry);
    channel.progress(progress.briefSpins);
    if (!isSettled(entry)) return entry;
    if (entry.failure !== undefined) throw entry.failure;
    return undefined;
  }
}
