/**
 * A rank's side of its progress workers: hands requests over to them and hears when they are over.
 * Nothing here waits, but for room where far more is under way than a training step starts.
 */

import { MAX_REQUESTS } from "../engine/engine.js";
import type { Failure } from "../engine/failure.js";
import type { Segment } from "../memory/segment.js";
import { sharedNowMs } from "./clock.js";
import { NoteWriter, readNote } from "./notes.js";
import { wakeWorker } from "./parking.js";
import type { Plan } from "./plan.js";
import { scratchBytesOf } from "./planPrograms.js";
import { COMMAND, COMPLETION, OPEN, type RecordMemory, recordMemory, START } from "./records.js";
import { RingReader, RingWriter } from "./ring.js";
import {
  COMMAND_SLOTS,
  COMPLETION_SLOTS,
  publishWorkerBlocks,
  WORKER_STATE,
  WORKER_WORD,
  workerBlocksBytes,
  workerLayout,
} from "./workerBlock.js";

/**
 * Plans that workers keep: a model of so many layers starts each of its own without telling a worker
 * anew what it is.
 */
const MAX_PLANS = 4096;

/** How long a worker may take no command, of thousands, before something must be wrong with it. */
const COMMAND_PATIENCE_MS = 10000;

/** How long to pause before looking for room again. */
const ROOM_PAUSE_MS = 1;

/** What a worker tells of a request that is over. */
export interface Outcome {
  readonly failure: Failure | undefined;
  readonly queuedMs: number;
  readonly waitingMs: number;
  readonly movingMs: number;
  readonly reducingMs: number;
  readonly totalMs: number;
}

/** A plan that was written down for the workers. */
export interface PlanHandle {
  readonly id: number;
  /** The group that it was made for. */
  readonly group: number;
  readonly plan: Plan;
  readonly scratchBytes: number;
  /** Address of its text; the bytes of the text, and of the details behind it. */
  readonly address: number;
  readonly byteLength: number;
  readonly detailsBytes: number;
  /** Workers that know it. */
  readonly knownTo: Set<number>;
  /** Starts that are not over, as those who start it count them: it is kept as long. */
  users: number;
  /** Whether its memory was given back. */
  isDropped: boolean;
}

/** A start of a plan. */
export interface StartOrder {
  readonly handle: PlanHandle;
  readonly group: number;
  /** The same on all ranks, and of no other request of the group that is under way. */
  readonly match: number;
  readonly send: number;
  readonly recv: number;
  readonly scratch: number;
  readonly priority: number | undefined;
  /** Milliseconds to wait for room if too many requests are under way. */
  readonly timeoutMs: number;
  readonly over: (outcome: Outcome) => void;
}

/** A start that was handed over. */
export interface Started {
  readonly slot: number;
  readonly worker: number;
}

interface Lane {
  readonly block: number;
  readonly commands: RingWriter;
  readonly completions: RingReader;
  readonly notes: NoteWriter;
  /** Whether it may be asleep since before the last command. */
  mayOversleep: boolean;
}

/** See above. */
export class RankDriver {
  readonly segment: Segment;
  readonly #memory: RecordMemory;
  readonly #lanes: readonly Lane[];
  readonly #pump: (() => void) | undefined;
  readonly #plans = new Map<string, PlanHandle>();
  /** By slot: whom to tell. */
  readonly #over: (((outcome: Outcome) => void) | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #pause = new Int32Array(new SharedArrayBuffer(4));
  #underWay = 0;
  #planCount = 0;
  #crash: Error | undefined;

  /**
   * @param pump lets workers go on that live in this thread, in tests
   * @throws {SegmentFullError} If this rank's arena is too small for the workers' blocks.
   */
  constructor(segment: Segment, workers: number, pump?: () => void) {
    this.segment = segment;
    this.#memory = recordMemory(segment.buffer);
    this.#pump = pump;
    // A rank's first memory: nobody has written to it, so it is zeroed.
    const blocks = segment.reserveBytes(workerBlocksBytes(segment.ranks, workers));
    const layout = workerLayout(segment.ranks);
    this.#lanes = Array.from({ length: workers }, (_, worker) => {
      const block = blocks + worker * layout.byteLength;
      const { words } = segment;
      return {
        block,
        commands: new RingWriter(words, block + layout.commands, COMMAND_SLOTS),
        completions: new RingReader(words, block + layout.completions, COMPLETION_SLOTS),
        notes: new NoteWriter(words, block + layout.rankNotes),
        mayOversleep: false,
      };
    });
    publishWorkerBlocks(segment.words, segment.rank, blocks);
  }

  /** Addresses of the workers' blocks. */
  get blocks(): readonly number[] {
    return this.#lanes.map(({ block }) => block);
  }

  /** Why a worker has failed; undefined as long as all live. */
  get crash(): Error | undefined {
    if (this.#crash !== undefined) return this.#crash;
    for (const [worker, { block }] of this.#lanes.entries()) {
      // Safe: a single word, which the worker writes after its note.
      const state = Atomics.load(this.segment.words, block / 4 + WORKER_WORD.state);
      if (state !== WORKER_STATE.failed) continue;
      const address = block + workerLayout(this.segment.ranks).workerNotes;
      const note = readNote(this.segment.words, { address, number: crashNumber(this, address) });
      this.workerFailed(worker, String(note ?? "it does not say why"));
    }
    return this.#crash;
  }

  /** Takes note that a worker does not work any more. */
  workerFailed(worker: number, reason: string): void {
    const { rank } = this.segment;
    this.#crash ??= new Error(`Progress worker ${worker} of rank ${rank} has failed: ${reason}`);
  }

  /** Makes a group known to all workers. */
  openGroup(id: number, members: readonly number[]): void {
    this.#lanes.forEach((_, worker) => {
      for (let first = 0; first < members.length; first += OPEN.most) {
        const word = this.#claim(worker);
        this.#memory.words[word] = COMMAND.open;
        this.#memory.words[word + 1] = members.length;
        this.#memory.numbers[word / 2 + 1] = id;
        const bytes = new Uint8Array(this.segment.buffer, 4 * (word + OPEN.first), OPEN.most);
        bytes.set(members.slice(first, first + OPEN.most));
        this.#send(worker);
      }
    });
  }

  /** Makes workers forget a group in which nothing is under way, and its plans. */
  closeGroup(id: number): void {
    this.dropPlans(({ group }) => group === id);
    this.#lanes.forEach((_, worker) => {
      const word = this.#claim(worker);
      this.#memory.words[word] = COMMAND.close;
      this.#memory.numbers[word / 2 + 1] = id;
      this.#send(worker);
    });
  }

  /** Fails a group on all workers, and with that on all ranks. */
  failGroup(id: number, failure: Failure): void {
    this.#lanes.forEach(({ notes }, worker) => {
      const note = notes.write(failure);
      const word = this.#claim(worker);
      this.#memory.words[word] = COMMAND.fail;
      this.#memory.numbers[word / 2 + 1] = id;
      this.#memory.words[word + 4] = note.address;
      this.#memory.words[word + 5] = note.number;
      this.#send(worker);
    });
  }

  /** Asks a worker to fail a request, as somebody has waited for it for long enough. */
  expire({ slot, worker }: Started, timeoutMs: number): void {
    const word = this.#claim(worker);
    this.#memory.words[word] = COMMAND.expire;
    this.#memory.words[word + 1] = slot;
    this.#memory.numbers[word / 2 + 1] = timeoutMs;
    this.#send(worker);
  }

  /** Ends the workers; one that does not take its commands any more is left to the process's end. */
  end(): void {
    this.#lanes.forEach(({ commands }, worker) => {
      const word = commands.claim();
      if (word !== -1) this.#memory.words[word] = COMMAND.end;
      this.#send(worker);
    });
    this.#wakeWorkers();
  }

  /**
   * The handle of a plan; equal plans share one.
   *
   * @param key names the plan among all of this rank
   * @throws {SegmentFullError} If there is no memory to write it down.
   */
  planFor(group: number, key: string, make: () => Plan): PlanHandle {
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    if (this.#plans.size >= MAX_PLANS) {
      const old = this.#planCount - MAX_PLANS / 2;
      this.dropPlans(({ id }) => id < old);
    }
    const plan = make();
    const [text, details] = [JSON.stringify(plan), plan.details].map((part) => {
      return new TextEncoder().encode(part);
    }) as [Uint8Array, Uint8Array];
    const address = this.segment.allocateBytes(text.length + details.length);
    const bytes = new Uint8Array(this.segment.buffer, address, text.length + details.length);
    bytes.set(text);
    bytes.set(details, text.length);
    const handle: PlanHandle = {
      id: this.#planCount++,
      group,
      plan,
      scratchBytes: scratchBytesOf(plan),
      address,
      byteLength: text.length,
      detailsBytes: details.length,
      knownTo: new Set(),
      users: 0,
      isDropped: false,
    };
    this.#plans.set(key, handle);
    return handle;
  }

  /**
   * Forgets plans that are not in use, the oldest first; whoever starts one again has it made anew.
   * Their memory may go: workers have read it when a request is over, and peers, too.
   *
   * @param which of them @default all
   */
  dropPlans(which: (handle: PlanHandle) => boolean = () => true): void {
    for (const [key, handle] of this.#plans) {
      if (handle.users > 0 || !which(handle)) continue;
      this.#plans.delete(key);
      handle.isDropped = true;
      for (const worker of handle.knownTo) {
        const word = this.#claim(worker);
        this.#memory.words[word] = COMMAND.drop;
        this.#memory.words[word + 1] = handle.id;
        this.#send(worker);
      }
      this.segment.freeBytes(handle.address);
    }
  }

  /**
   * Hands a request over. A worker that sleeps is not woken: it looks by itself before long, and
   * {@link drain} wakes it.
   *
   * @throws {Error} If the most that can be under way are, and none is over in time.
   */
  start(order: StartOrder): Started {
    const { handle, group, match, priority } = order;
    if (this.#underWay >= MAX_REQUESTS) this.#awaitRoom(order.timeoutMs);
    // All ranks come to the same worker, whose engine finds those of the others.
    const worker = this.#lanes.length === 1 ? 0 : (group / 64 + match) % this.#lanes.length;
    if (!handle.knownTo.has(worker)) this.#tellPlan(worker, handle);
    const word = this.#claim(worker);
    const slot = this.#freeSlots.pop() ?? this.#over.length;
    const { words, numbers } = this.#memory;
    words[word] = COMMAND.start;
    words[word + START.slot] = slot;
    words[word + START.plan] = handle.id;
    words[word + START.send] = order.send;
    words[word + START.recv] = order.recv;
    words[word + START.scratch] = order.scratch;
    numbers[word / 2 + START.match] = match;
    numbers[word / 2 + START.priority] = priority ?? Number.NaN;
    numbers[word / 2 + START.atMs] = sharedNowMs();
    numbers[word / 2 + START.group] = group;
    this.#send(worker);
    this.#over[slot] = order.over;
    this.#underWay++;
    return { slot, worker };
  }

  #tellPlan(worker: number, handle: PlanHandle): void {
    const word = this.#claim(worker);
    const { words } = this.#memory;
    words[word] = COMMAND.plan;
    words[word + 1] = handle.id;
    words[word + 4] = handle.address;
    words[word + 5] = handle.byteLength;
    words[word + 6] = handle.detailsBytes;
    handle.knownTo.add(worker);
  }

  /** Takes an outcome as seen: its slot can be used again. */
  #finish(word: number, lane: Lane): void {
    const { words, numbers } = this.#memory;
    const slot = words[word + COMPLETION.slot]!;
    const outcome: Outcome = {
      failure: words[word + COMPLETION.failed] === 0 ? undefined : this.#failureAt(word),
      queuedMs: numbers[word / 2 + COMPLETION.queued]!,
      waitingMs: numbers[word / 2 + COMPLETION.waiting]!,
      movingMs: numbers[word / 2 + COMPLETION.moving]!,
      reducingMs: numbers[word / 2 + COMPLETION.reducing]!,
      totalMs: numbers[word / 2 + COMPLETION.total]!,
    };
    lane.completions.release();
    const over = this.#over[slot]!;
    this.#over[slot] = undefined;
    this.#freeSlots.push(slot);
    this.#underWay--;
    over(outcome);
  }

  #failureAt(word: number): Failure {
    const { words } = this.#memory;
    const address = words[word + COMPLETION.noteAddress]! >>> 0; // bits: unsigned address
    const number = words[word + COMPLETION.noteNumber]!;
    const reason = "what is not known any more";
    const unknown: Failure = { kind: "badMessage", rank: this.segment.rank, reason };
    return (readNote(words, { address, number }) as Failure | undefined) ?? unknown;
  }

  /**
   * Takes all outcomes that have come, and looks for some up to `spins` times more if there are none.
   * Who looks for outcomes wants them soon: workers that sleep are woken.
   *
   * @returns whether there were any
   */
  drain(spins: number): boolean {
    this.#wakeWorkers();
    let found = false;
    for (let look = 0; ; look++) {
      this.#pump?.();
      for (const lane of this.#lanes) {
        for (let word = lane.completions.peek(); word !== -1; word = lane.completions.peek()) {
          this.#finish(word, lane);
          found = true;
        }
      }
      if (found || look >= spins) return found;
    }
  }

  #awaitRoom(timeoutMs: number): void {
    const startMs = performance.now();
    while (!this.drain(0)) {
      this.#rest();
      if (performance.now() - startMs < timeoutMs && this.crash === undefined) continue;
      throw (
        this.#crash ??
        new Error(
          `Cannot start a request: ${MAX_REQUESTS} are under way, and none has completed for ` +
            `${timeoutMs} ms; wait for some of them first`,
        )
      );
    }
  }

  #rest(): void {
    // Safe: nobody else knows this word; the wait only lets time pass.
    if (this.#pump === undefined) Atomics.wait(this.#pause, 0, 0, ROOM_PAUSE_MS);
  }

  /** A place for a command; waits while the worker has thousands that it has not taken. */
  #claim(worker: number): number {
    const { commands } = this.#lanes[worker]!;
    let word = commands.claim();
    for (const startMs = performance.now(); word === -1; word = commands.claim()) {
      this.#send(worker);
      this.#wakeWorkers();
      this.#pump?.();
      this.#rest();
      if (this.crash !== undefined) throw this.crash;
      if (performance.now() - startMs < COMMAND_PATIENCE_MS) continue;
      throw new Error(
        `Cannot reach progress worker ${worker} of rank ${this.segment.rank}: it has taken none ` +
          `of ${COMMAND_SLOTS} commands for ${COMMAND_PATIENCE_MS} ms`,
      );
    }
    return word;
  }

  /** Shows a worker what was written. */
  #send(worker: number): void {
    const lane = this.#lanes[worker]!;
    lane.commands.publish();
    lane.mayOversleep = true;
  }

  /** Wakes workers that sleep over what was sent to them. */
  #wakeWorkers(): void {
    for (const lane of this.#lanes) {
      if (!lane.mayOversleep) continue;
      lane.mayOversleep = false;
      wakeWorker(this.segment.words, this.segment.parker, lane.block);
    }
  }
}

/** The number of the note at an address, whichever it is. */
function crashNumber({ segment }: RankDriver, address: number): number {
  // Safe: only compared with itself right after.
  return Atomics.load(segment.words, address / 4);
}
