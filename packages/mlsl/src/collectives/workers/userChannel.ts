/**
 * Reductions by operators of the user in a group with progress workers. Such an operator is a function
 * that lives in the rank's thread, so the rank carries it out itself; but the ranks meet through the
 * workers first, in the order of all other requests, so that a rank that asks for something else is found.
 */

import type { Prepared } from "../execution/prepared.js";
import type { CollectiveEntry, CollectiveQueue } from "../execution/queue.js";
import { describe } from "../operations/operation.js";
import { type Channel, type Counters, type Entry, isSettled } from "../requests/channel.js";
import type { Progress } from "../requests/progress.js";
import type { Task } from "../requests/task.js";
import type { WorkerChannel, WorkerEntry } from "./workerChannel.js";
import type { WorkerChoices } from "./workerTask.js";

/** A meeting, and what follows it. */
export class UserEntry implements Entry {
  readonly channel: Channel;
  readonly timeoutMs: number;
  readonly reads: Entry["reads"];
  readonly writes: Entry["writes"];
  readonly meeting: WorkerEntry;
  readonly inline: CollectiveEntry;
  exposedMs = 0;
  /** Whether all ranks have met, and it was this one's turn. */
  hasBegun = false;
  /** Why it could not begin. */
  refusal: Error | undefined;

  constructor(channel: Channel, meeting: WorkerEntry, inline: CollectiveEntry) {
    this.channel = channel;
    this.timeoutMs = inline.timeoutMs;
    this.reads = inline.reads;
    this.writes = inline.writes;
    this.meeting = meeting;
    this.inline = inline;
  }

  get state(): Entry["state"] {
    if (this.failure !== undefined) return "failed";
    return this.hasBegun && isSettled(this.inline) ? this.inline.state : "running";
  }

  get failure(): Error | undefined {
    return this.meeting.failure ?? this.refusal ?? this.inline.failure;
  }
}

/** See above. */
export class UserChannel implements Channel {
  readonly counters: Counters;
  readonly #workers: WorkerChannel;
  readonly #queue: CollectiveQueue;
  /** Those that have not begun, in the order of their starts, which is that of all ranks. */
  readonly #waiting: UserEntry[] = [];

  constructor(workers: WorkerChannel, queue: CollectiveQueue) {
    this.counters = queue.counters;
    this.#workers = workers;
    this.#queue = queue;
  }

  get idle(): boolean {
    return this.#waiting.length === 0 && this.#queue.idle;
  }

  entryOf(prepared: Prepared, { timeoutMs, priority }: WorkerChoices): UserEntry {
    const whole = { operation: prepared.operation, left: 0 };
    // By the order of starts alone: that is the order in which the ranks then carry them out.
    const choices = { timeoutMs, priority, name: undefined };
    const meeting = this.#workers.entryOf(meetingOf(prepared), whole, choices);
    return new UserEntry(this, meeting, this.#queue.entryOf(prepared, timeoutMs));
  }

  /** @throws {GroupClosedError} If an earlier operation has failed. */
  start(entry: UserEntry): void {
    entry.exposedMs = 0;
    entry.hasBegun = false;
    entry.refusal = undefined;
    entry.inline.failure = undefined;
    this.#workers.start([entry.meeting]);
    this.#waiting.push(entry);
  }

  progress(spins: number): void {
    this.#workers.progress(this.#waiting.length > 0 ? spins : 0);
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!isSettled(first.meeting)) break;
      this.#waiting.shift();
      this.#begin(first);
    }
    if (!this.#queue.idle) this.#queue.progress(spins);
  }

  #begin(entry: UserEntry): void {
    if (entry.meeting.state === "failed") return;
    try {
      this.#queue.start(entry.inline);
      entry.hasBegun = true;
    } catch (error) {
      entry.refusal = error as Error;
    }
  }

  expire(entry: Entry, waitedMs: number): void {
    // An entry of this channel is one of its own.
    const own = entry as UserEntry;
    if (own.hasBegun) this.#queue.expire(own.inline, waitedMs);
    // Whoever has met waits for those before it, too.
    else if (this.#waiting.length > 0) this.#workers.expire(this.#waiting[0]!.meeting, waitedMs);
  }
}

/** An operation without its data: what its ranks agree on. */
function meetingOf(prepared: Prepared): Prepared {
  const operation = { ...prepared.operation, tables: undefined, send: undefined, recv: undefined };
  return { ...prepared, operation, staged: false, recvOutside: false, gives: false, gets: false };
}

/** What a group's reductions by operators of the user need to know of it. */
export interface UserContext {
  readonly progress: Progress;
  readonly channel: UserChannel;
  /** @throws {TypeError} If the group was closed. */
  readonly checkOpen: () => void;
}

/** A reduction by an operator of the user, in whatever form the caller waits for it. */
export class UserTask implements Task {
  readonly #context: UserContext;
  readonly #prepared: Prepared;
  readonly #choices: WorkerChoices;

  constructor(context: UserContext, prepared: Prepared, choices: WorkerChoices) {
    this.#context = context;
    this.#prepared = prepared;
    this.#choices = choices;
  }

  newEntry(): UserEntry {
    return this.#context.channel.entryOf(this.#prepared, this.#choices);
  }

  start(entry: Entry): void {
    const { progress, channel, checkOpen } = this.#context;
    checkOpen();
    progress.checkEntry(() => `start ${describe(this.#prepared.operation)}`, entry);
    // An entry of this task is one of the channel.
    channel.start(entry as UserEntry);
    progress.add(entry);
  }

  runBriefly(): Entry {
    const entry = this.newEntry();
    this.start(entry);
    return entry;
  }
}
