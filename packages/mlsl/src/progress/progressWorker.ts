/**
 * A progress worker: carries out the requests of its rank with an engine, beside whatever the rank
 * computes. It takes commands, says and hears what there is to say, and runs kernels one at a time, so
 * that between any two of them something more urgent may come first.
 */

import { Engine } from "../engine/engine.js";
import type { Failure } from "../engine/failure.js";
import type { EngineGroup } from "../engine/group.js";
import type { OrderMode } from "../engine/order.js";
import type { EngineRequest } from "../engine/request.js";
import type { Kernels } from "../kernels/kernels.js";
import type { Parker } from "../memory/parker.js";
import { statusOffset } from "../memory/rankStatus.js";
import { wakeRanks } from "../memory/sleepers.js";
import { disagreements, disagreementTexts } from "../schedules/directBlocks.js";
import { addressOf, ChunkKernels } from "./chunkKernels.js";
import { sharedNowMs } from "./clock.js";
import { Completions } from "./completions.js";
import { KernelRunner } from "./kernelRunner.js";
import { NoteWriter, readNote } from "./notes.js";
import { wakeWorker } from "./parking.js";
import { PeerLink } from "./peerLink.js";
import type { Plan } from "./plan.js";
import { programOf, readTables, tablesProgramOf } from "./planPrograms.js";
import { COMMAND, OPEN, type RecordMemory, recordMemory, START, WIRE } from "./records.js";
import { RingReader } from "./ring.js";
import {
  addTimes,
  type KnownPlan,
  Running,
  RunningRequests,
  runningOf,
  StartSpec,
} from "./running.js";
import {
  fingerprintKey,
  HeardParts,
  partOf,
  sendPart,
  sendRead,
  type WireContext,
} from "./wire.js";
import { COMMAND_SLOTS, workerLayout } from "./workerBlock.js";

/** How often a worker looks whether ranks have ended. */
const LOOK_MS = 50;

/** Words behind hashes that are kept, for messages about mismatches; more would be an attack. */
const MAX_DETAILS = 1024;

/** What a worker is made of. */
export interface WorkerParts {
  readonly buffer: SharedArrayBuffer;
  readonly kernels: Kernels;
  readonly parker: Parker;
  readonly rank: number;
  readonly ranks: number;
  /** Its number among those of its rank. */
  readonly worker: number;
  /** Address of its block. */
  readonly block: number;
  readonly mode: OrderMode;
  /** Bytes of a chunk, the same on all ranks. */
  readonly chunkBytes: number;
}

/** See above. One step after the other; it never waits. */
export class ProgressWorker {
  readonly #parts: WorkerParts;
  readonly #memory: RecordMemory;
  readonly #engine: Engine;
  readonly #kernels: ChunkKernels;
  readonly #commands: RingReader;
  readonly #completions: Completions;
  readonly #notes: NoteWriter;
  readonly #links: readonly PeerLink[];
  readonly #linkOf: ReadonlyMap<number, PeerLink>;
  readonly #groups = new Map<number, EngineGroup>();
  readonly #plans = new Map<number, KnownPlan>();
  readonly #running = new RunningRequests();
  readonly #details = new Map<number, string>();
  readonly #wire: WireContext;
  /** Members of the group that is being opened. */
  #opening: number[] = [];
  #nextLookMs = 0;
  #hasEnded = false;

  constructor(parts: WorkerParts) {
    const { buffer, kernels, rank, ranks, worker, block, mode, chunkBytes } = parts;
    const layout = workerLayout(ranks);
    this.#parts = parts;
    this.#memory = recordMemory(buffer);
    const { words } = this.#memory;
    const windowBytes = Number.POSITIVE_INFINITY;
    // Nothing is in flight: what is told to a receiver moves when the receiver finds it urgent.
    const options = { mode, chunkBytes, windowBytes, tellsAll: true, reusesObjects: true };
    this.#engine = new Engine({ rank, ...options });
    const place = { plan: block + layout.plan, tree: block + layout.tree };
    this.#kernels = new ChunkKernels(new KernelRunner(kernels, words, place));
    this.#commands = new RingReader(words, block + layout.commands, COMMAND_SLOTS);
    this.#notes = new NoteWriter(words, block + layout.workerNotes);
    this.#completions = new Completions(this.#memory, block + layout.completions, this.#notes);
    const peers = Array.from({ length: ranks }, (_, peer) => peer).filter((peer) => peer !== rank);
    this.#links = peers.map((peer) => {
      return new PeerLink(this.#memory, block, { ranks, worker, own: rank, peer });
    });
    this.#linkOf = new Map(this.#links.map((link) => [link.peer, link]));
    this.#wire = {
      memory: this.#memory,
      notes: this.#notes,
      heard: new HeardParts(),
      fingerprintOf: (request) => runningOf(request).known.fingerprint,
      numberOf: (part) => this.#running.numberOf(part),
      stampOf: (number) => this.#running.stampOf(number),
      addressOf: (part) => addressOf(runningOf(part.request), part.op),
      requestOf: (group, match) => this.#groups.get(group)?.requests.get(match),
      knowsDetails: (hash) => this.#details.size >= MAX_DETAILS || this.#details.has(hash),
      learnDetails: (hash, text) => this.#learnDetails(hash, text),
      explain: (failure) => this.#explain(failure),
    };
  }

  /** Whether its rank has told it to end. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether something has come since the last step. */
  get hasNews(): boolean {
    return this.#commands.peek() !== -1 || this.#links.some((link) => link.peek() !== -1);
  }

  /** Whether something of its own waits for room, so that it must look again by itself. */
  get isHeldUp(): boolean {
    return !this.#completions.isEmpty || this.#links.some((link) => link.isHeldUp);
  }

  /** Does what can be done at once, with one kernel at most. @returns whether there was anything */
  step(): boolean {
    let busy = this.#takeCommands();
    for (const link of this.#links) busy = this.#hear(link) || busy;
    busy = this.#runKernel() || busy;
    busy = this.#say() || busy;
    for (const request of this.#engine.takeSettled()) this.#settle(request);
    this.#report();
    const nowMs = sharedNowMs();
    if (nowMs >= this.#nextLookMs) this.#lookAtRanks(nowMs);
    return busy;
  }

  #takeCommands(): boolean {
    let taken = false;
    for (let word = this.#commands.peek(); word !== -1; word = this.#commands.peek()) {
      this.#command(word);
      this.#commands.release();
      taken = true;
    }
    return taken;
  }

  #command(word: number): void {
    const { words, numbers } = this.#memory;
    const id = words[word + 1]!;
    const group = numbers[word / 2 + 1]!;
    switch (words[word]) {
      case COMMAND.start:
        this.#startPlan(word);
        break;
      case COMMAND.plan:
        this.#plans.set(id, this.#readPlan(word));
        break;
      case COMMAND.drop:
        this.#plans.delete(id);
        break;
      case COMMAND.open:
        this.#open(word, group);
        break;
      case COMMAND.close:
        this.#close(group);
        break;
      case COMMAND.expire:
        this.#expire(id, group);
        break;
      case COMMAND.fail:
        this.#failFor(word, group);
        break;
      default:
        this.#hasEnded = true;
    }
  }

  #unsigned(word: number): number {
    return this.#memory.words[word]! >>> 0; // bits: an address, read unsigned
  }

  /** Takes members of a group, and opens it when all are known. */
  #open(word: number, id: number): void {
    const ranks = this.#memory.words[word + 1]!;
    const bytes = new Uint8Array(this.#parts.buffer, 4 * (word + OPEN.first), OPEN.most);
    this.#opening.push(...bytes.subarray(0, ranks - this.#opening.length));
    if (this.#opening.length < ranks) return;
    this.#groups.set(id, this.#engine.openGroup(id, this.#opening));
    this.#opening = [];
  }

  #close(id: number): void {
    const group = this.#groups.get(id);
    if (group !== undefined) this.#engine.closeGroup(group);
    this.#groups.delete(id);
    this.#running.forgetGroup(id);
  }

  #expire(slot: number, timeoutMs: number): void {
    const running = this.#running.ofSlot(slot);
    if (running?.request.active !== true) return;
    this.#engine.expire(running.request, timeoutMs, sharedNowMs());
  }

  #failFor(word: number, id: number): void {
    const group = this.#groups.get(id);
    const place = { address: this.#unsigned(word + 4), number: this.#memory.words[word + 5]! };
    const reason = "an operation outside its progress workers has failed";
    const unknown: Failure = { kind: "badMessage", rank: this.#parts.rank, reason };
    const failure = (readNote(this.#memory.words, place) as Failure | undefined) ?? unknown;
    if (group !== undefined) this.#engine.abort(group, failure, sharedNowMs());
  }

  #readPlan(word: number): KnownPlan {
    const address = this.#unsigned(word + 4);
    const byteLength = this.#memory.words[word + 5]!;
    // A decoder refuses shared memory, so the bytes are copied.
    const bytes = new Uint8Array(this.#parts.buffer, address, byteLength).slice();
    const plan = JSON.parse(new TextDecoder().decode(bytes)) as Plan;
    this.#learnDetails(plan.fingerprint[3], plan.details);
    const details = { address: address + byteLength, byteLength: this.#memory.words[word + 6]! };
    const fingerprint = { words: plan.fingerprint, details };
    return { plan, fingerprint, program: undefined, idle: [] };
  }

  #learnDetails(hash: number, text: string): void {
    if (this.#details.size < MAX_DETAILS) this.#details.set(hash, text);
  }

  /** Adds the words behind hashes to what a failure says. */
  #explain(failure: Failure): Failure {
    if (failure.kind !== "mismatch") return failure;
    const asked = failure.asked.map(({ rank, fingerprint }) => {
      const details = this.#details.get(Number(fingerprint.split(".")[3]));
      const isBare = details === undefined || details === "" || fingerprint.includes("|");
      return { rank, fingerprint: isBare ? fingerprint : `${fingerprint}|${details}` };
    });
    return { ...failure, asked };
  }

  #startPlan(word: number): void {
    const { words, numbers } = this.#memory;
    const known = this.#plans.get(words[word + START.plan]!)!;
    const group = this.#groups.get(numbers[word / 2 + START.group]!)!;
    const running = known.idle.pop() ?? new Running(known);
    const nowMs = sharedNowMs();
    running.begin(this.#memory, word, nowMs);
    this.#running.add(running);
    this.#post(running, group, nowMs);
  }

  /** Posts what the engine has to do for a start, and starts it. */
  #post(running: Running, group: EngineGroup, nowMs: number): void {
    const { isAboutTables } = running;
    const kept = isAboutTables ? running.tablesRequest : running.mainRequest;
    if (kept !== undefined) this.#engine.repost(kept, running.requestMatch);
    else if (isAboutTables) running.tablesRequest = this.#newRequest(running, group);
    else running.mainRequest = this.#newRequest(running, group);
    this.#engine.start(running.request, nowMs);
  }

  #newRequest(running: Running, group: EngineGroup): EngineRequest {
    const { known, isAboutTables } = running;
    const { chunkBytes } = this.#parts;
    if (!isAboutTables) known.program ??= programOf(known.plan, chunkBytes);
    const program = isAboutTables ? tablesProgramOf(known.plan, chunkBytes) : known.program!;
    const spec = new StartSpec(running, fingerprintKey(known.plan.fingerprint), program);
    spec.match = running.requestMatch;
    return this.#engine.post(group, spec);
  }

  /** Takes all that a peer says. */
  #hear(link: PeerLink): boolean {
    let heard = false;
    for (let word = link.peek(); word !== -1; word = link.peek()) {
      heard = true;
      const nowMs = sharedNowMs();
      const { words } = this.#memory;
      if (words[word] === WIRE.sent) {
        const part = this.#running.takeRead(words[word + 1]!, words[word + 2]!);
        if (part !== undefined) this.#engine.sent(part, nowMs);
      } else {
        const part = partOf(this.#wire, word, link.peer);
        const parts = part === undefined ? [] : [part];
        const frame = { from: link.peer, to: this.#parts.rank, parts, byteLength: 0, dataBytes: 0 };
        this.#engine.frameArrived(frame, nowMs);
      }
      link.release();
    }
    return heard;
  }

  #runKernel(): boolean {
    const startMs = sharedNowMs();
    const kernel = this.#engine.nextKernel(startMs);
    if (kernel === undefined) return false;
    const read = this.#kernels.run(runningOf(kernel.request), kernel);
    const endMs = sharedNowMs();
    this.#engine.kernelDone(kernel, endMs, endMs - startMs);
    for (const part of read) {
      sendRead(this.#linkOf.get(part.from)!, part);
      this.#wire.heard.release(part);
    }
    return true;
  }

  /** Says what there is to say, and wakes those who should hear it. */
  #say(): boolean {
    let said = false;
    const nowMs = sharedNowMs();
    for (;;) {
      const frame = this.#engine.nextFrame(nowMs);
      if (frame === undefined) break;
      const link = this.#linkOf.get(frame.to)!;
      for (const part of frame.parts) sendPart(this.#wire, link, part);
      this.#engine.frameLanded(frame);
      said = true;
    }
    for (const link of this.#links) {
      link.flush();
      if (!link.hasNews) continue;
      link.hasNews = false;
      wakeWorker(this.#memory.words, this.#parts.parker, link.peerBlock);
    }
    return said;
  }

  #settle(request: EngineRequest): void {
    const running = runningOf(request);
    addTimes(running.spent, request);
    if (request.failure !== undefined) {
      this.#running.remove(running);
      this.#running.forgetGroup(request.group.id);
      this.#completions.fail(running, this.#explain(request.failure));
      return;
    }
    if (running.isAboutTables) {
      this.#afterTables(running);
      return;
    }
    this.#running.remove(running);
    this.#kernels.finishAverage(running);
    this.#completions.done(running);
    running.known.idle.push(running);
  }

  /** Goes on with an operation whose tables all ranks have now. */
  #afterTables(running: Running): void {
    const { bases, known, request } = running;
    const { group } = request;
    const pairs = disagreements(readTables(this.#parts.buffer, bases[2], known.plan.ranks));
    running.isAboutTables = false;
    const nowMs = sharedNowMs();
    this.#post(running, group, nowMs);
    if (pairs.length === 0) return;
    const { match } = running.request;
    const mismatch: Failure = {
      kind: "mismatch",
      match,
      asked: [],
      pairs: disagreementTexts(pairs),
    };
    this.#engine.abort(group, mismatch, nowMs);
  }

  /**
   * Tells the rank what is over; not before all that was said is where its hearers find it, as the
   * rank may end as soon as it knows.
   */
  #report(): void {
    if (this.#completions.isEmpty || this.#links.some((link) => link.isHeldUp)) return;
    if (!this.#completions.publish()) return;
    wakeRanks(this.#memory.words, this.#parts.parker, [this.#parts.rank]);
  }

  /** Fails what waits for ranks that have ended. */
  #lookAtRanks(nowMs: number): void {
    this.#nextLookMs = nowMs + LOOK_MS;
    for (const link of this.#links) {
      // Safe: a single word, written once after the rank has ended: nothing of it comes later.
      if (Atomics.load(this.#memory.words, statusOffset(link.peer) / 4) === 0) continue;
      this.#hear(link);
      link.end();
      this.#engine.peerEnded(link.peer, "its rank has ended", nowMs);
    }
  }
}
