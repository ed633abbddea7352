/** A collective that progress workers carry out, in whatever form the caller waits for it. */

import type { Prepared } from "../execution/prepared.js";
import { describe } from "../operations/operation.js";
import { type Entry, isSettled } from "../requests/channel.js";
import type { Progress } from "../requests/progress.js";
import type { Task } from "../requests/task.js";
import { PiecesEntry, partsOf } from "./pieces.js";
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
  /** The whole, as callers know it. */
  readonly #prepared: Prepared;
  readonly #pieces: readonly Prepared[];
  readonly #choices: WorkerChoices;

  /** @param pieces of it, in order; itself if there is only one */
  constructor(
    context: WorkerContext,
    prepared: Prepared,
    pieces: readonly Prepared[],
    choices: WorkerChoices,
  ) {
    this.#context = context;
    this.#prepared = prepared;
    this.#pieces = pieces;
    this.#choices = choices;
  }

  newEntry(): Entry {
    const { channel } = this.#context;
    const { operation, gives, gets } = this.#prepared;
    const whole = { operation, left: 0 };
    const parts = this.#pieces.map((piece) => channel.entryOf(piece, whole, this.#choices));
    if (parts.length === 1) return parts[0]!;
    const buffers = {
      reads: gives ? operation.send : undefined,
      writes: gets ? operation.recv : undefined,
    };
    return new PiecesEntry(parts, buffers);
  }

  start(entry: Entry): void {
    const { progress, channel, checkOpen } = this.#context;
    checkOpen();
    const what = () => `start ${describe(this.#prepared.operation)}`;
    progress.checkEntry(what, entry);
    entry.exposedMs = 0;
    channel.start(partsOf(entry));
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
