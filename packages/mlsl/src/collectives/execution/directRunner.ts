/** Executes the steps of a direct schedule on the buffers that the ranks brought to a meeting. */

import { LINE_BYTES, PLAN, plannedTargets } from "../../kernels/exchangeLayout.js";
import { viewOf } from "../../memory/dataTypes.js";
import { directSchedule, type Step, takersPart } from "../../schedules/direct.js";
import { type DirectBlocks, variableBlocks } from "../../schedules/directBlocks.js";
import { sliceOf } from "../../schedules/slices.js";
import { copyIntoStaging, copyOut } from "./copies.js";
import type { ExecutionContext, Meeting } from "./meeting.js";
import type { PhaseClock } from "./phaseClock.js";
import type { Prepared } from "./prepared.js";
import { reduceByUser } from "./userReduction.js";

/** A block of one chunk: inside the segment, as a whole. */
const NO_CHUNKS = Number.MAX_SAFE_INTEGER;

/** Runs one operation's steps at a time. */
export class DirectRunner {
  readonly #context: ExecutionContext;
  readonly #meeting: Meeting;
  readonly #clock: PhaseClock;
  readonly #words: Int32Array;
  #prepared: Prepared | undefined;
  #blocks: DirectBlocks | undefined;
  #steps: readonly Step[] = [];
  #next = 0;
  /** Bytes of a block that are worked on at a time. */
  #chunkBytes = NO_CHUNKS;

  constructor(context: ExecutionContext, meeting: Meeting, clock: PhaseClock) {
    this.#context = context;
    this.#meeting = meeting;
    this.#clock = clock;
    this.#words = context.segment.words;
  }

  /** Stages the first chunk, before the ranks meet. */
  prepareFirst(prepared: Prepared): void {
    this.#prepared = prepared;
    this.#chunkBytes = this.#stagedChunkBytes(prepared);
    this.#stage(0);
  }

  /** A staging block holds a chunk of each of a rank's blocks. */
  #stagedChunkBytes({ perRank }: Prepared): number {
    const { memory, ranks } = this.#context;
    const share = perRank ? memory.chunkBytes / ranks : memory.chunkBytes;
    return Math.floor(share / LINE_BYTES) * LINE_BYTES;
  }

  /**
   * Chooses the schedule, now that it is known whose buffers lie outside the segment.
   *
   * @throws {MismatchError} If counts that vary do not fit each other.
   */
  plan(prepared: Prepared): void {
    const { rank, ranks } = this.#context;
    const { pattern, operation } = prepared;
    this.#prepared = prepared;
    this.#blocks = prepared.blocks ?? this.#variableBlocks(prepared);
    this.#chunkBytes = this.#anyStaged(prepared) ? this.#stagedChunkBytes(prepared) : NO_CHUNKS;
    const chunks = Math.ceil(this.#blocks.longest / this.#chunkBytes);
    this.#next = 0;
    this.#steps = directSchedule(pattern, { rank, ranks, root: operation.root, chunks });
  }

  #variableBlocks(prepared: Prepared): DirectBlocks {
    const { operation, perRank } = prepared;
    const elementBytes = operation.type!.byteLength;
    const shape = { rank: this.#context.rank, perRank, elementBytes };
    return variableBlocks(this.#meeting.tables(prepared), shape);
  }

  #anyStaged({ combines }: Prepared): boolean {
    const meeting = this.#meeting;
    for (let rank = 0; rank < this.#context.ranks; rank++) {
      if (meeting.sendStaged(rank)) return true;
      // Results of reductions may be written by peers, those of copies are not.
      if (combines && meeting.recvOutside(rank)) return true;
    }
    return false;
  }

  /** Runs steps until all are done (true) or one must wait (false). */
  run(spins: number): boolean {
    while (this.#next < this.#steps.length) {
      if (!this.#runStep(this.#steps[this.#next]!, spins)) return false;
      this.#next++;
    }
    this.#prepared = undefined;
    return true;
  }

  #runStep(step: Step, spins: number): boolean {
    if (step.kind === "sync") return this.#clock.sync(spins);
    if (step.kind === "stage") this.#stage(step.chunk);
    else if (step.kind === "reduce") this.#reduce(step.chunk);
    else if (step.kind === "fetch") this.#fetch(step.chunk, step.from);
    else if (step.kind === "give") this.#give(step.chunk, step.to);
    else this.#collect(step.chunk);
    return true;
  }

  /** First byte of a chunk in its block. */
  #position(chunk: number): number {
    return chunk === 0 ? 0 : chunk * this.#chunkBytes;
  }

  /** Bytes of a block that are left for a chunk. */
  #lengthOf(chunk: number, blockBytes: number): number {
    return Math.max(0, Math.min(this.#chunkBytes, blockBytes - this.#position(chunk)));
  }

  /** Copies the chunk of each of this rank's blocks to its place in the staging block. */
  #stage(chunk: number): void {
    const { staged, own, operation } = this.#prepared!;
    if (!staged) return;
    own.forEach(({ at, byteLength }, slot) => {
      const source = at + this.#position(chunk);
      const target = this.#stagingAddress(this.#context.memory.staging, slot, chunk);
      const bytes = this.#lengthOf(chunk, byteLength);
      copyIntoStaging(this.#context, operation, { source, target, byteLength: bytes });
    });
  }

  #stagingAddress(base: number, slot: number, chunk: number): number {
    const turn = chunk % 2 === 0 ? 0 : this.#context.memory.chunkBytes;
    return base + turn + (slot === 0 ? 0 : slot * this.#chunkBytes);
  }

  /** Where a chunk of a rank's data lies that this rank wants. */
  #sourceAddress(from: number, chunk: number): number {
    const meeting = this.#meeting;
    const base = meeting.sendAddress(from);
    const blocks = this.#blocks!;
    if (meeting.sendStaged(from)) return this.#stagingAddress(base, blocks.slot, chunk);
    return base + blocks.fetches[from]!.source + this.#position(chunk);
  }

  /** Where a chunk of a rank's result lies: in its buffer, or in its staging block. */
  #targetAddress(rank: number, chunk: number): number {
    const meeting = this.#meeting;
    const base = meeting.recvAddress(rank);
    if (!meeting.recvOutside(rank)) return base + this.#position(chunk);
    return this.#stagingAddress(base, this.#blocks!.slot, chunk);
  }

  #reduce(chunk: number): void {
    const { rank, ranks } = this.#context;
    const { pattern, operation, byKernel } = this.#prepared!;
    const sources: number[] = [];
    for (let r = 0; r < ranks; r++) sources.push(this.#sourceAddress(r, chunk));
    const blockBytes = this.#blocks!.fetches[rank]!.byteLength;
    const length = this.#lengthOf(chunk, blockBytes);
    const whole = { begin: 0, end: length };
    const range = pattern === "reduceOwn" ? whole : sliceOf(length, rank, ranks);
    const targets: number[] = [];
    if (pattern === "reduceForAll") {
      for (let r = 0; r < ranks; r++) targets.push(this.#targetAddress(r, chunk));
    } else {
      const getter = pattern === "reduceOwn" ? rank : operation.root;
      targets.push(this.#targetAddress(getter, chunk));
    }
    if (range.end === range.begin) return;
    if (byKernel) this.#reduceByKernel(sources, targets, range);
    else this.#reduceByUser(sources, targets, range);
  }

  #reduceByKernel(
    sources: readonly number[],
    targets: readonly number[],
    { begin, end }: { begin: number; end: number },
  ): void {
    const { kernels } = this.#context;
    const { plan } = this.#meeting;
    const table = plan / 4 + PLAN.addresses;
    const targetCount = plannedTargets(sources.length, targets.length);
    for (let i = 0; i < sources.length; i++) this.#words[table + i] = sources[i]!;
    for (let i = 0; i < targetCount; i++) {
      this.#words[table + sources.length + i] = targets[i] ?? targets[0]!;
    }
    this.#words[plan / 4 + PLAN.targetCount] = targetCount;
    kernels.reduce(plan, begin, end);
  }

  #reduceByUser(
    sources: readonly number[],
    targets: readonly number[],
    { begin, end }: { begin: number; end: number },
  ): void {
    const { type, operator } = this.#prepared!.operation;
    const count = (end - begin) / type!.byteLength;
    const view = (address: number) =>
      viewOf(type!.name, this.#context.segment.buffer, address + begin, count);
    reduceByUser(operator!.user!, sources.map(view), targets.map(view));
  }

  /**
   * Where the taker's part of so many bytes ends. A taker outside the segment must copy everything
   * itself, as must a rank that takes from itself.
   */
  #takersEnd(from: number, to: number, byteLength: number): number {
    const { pattern } = this.#prepared!;
    if (pattern === "fetchAll" || from === to || this.#meeting.recvOutside(to)) return byteLength;
    const part = byteLength * takersPart(pattern, this.#context.ranks);
    return Math.min(byteLength, Math.ceil(part / LINE_BYTES) * LINE_BYTES);
  }

  #fetch(chunk: number, from: number): void {
    const { target, byteLength } = this.#blocks!.fetches[from]!;
    const length = this.#lengthOf(chunk, byteLength);
    if (length === 0 || !this.#prepared!.gets) return;
    copyOut(this.#context, this.#prepared!, {
      source: this.#sourceAddress(from, chunk),
      target: target + this.#position(chunk),
      byteLength: this.#takersEnd(from, this.#context.rank, length),
    });
  }

  /** Copies the rest of what another rank takes of this one's chunk, for it. */
  #give(chunk: number, to: number): void {
    const { staging } = this.#context.memory;
    const { staged, send, perRank } = this.#prepared!;
    const { source, target, byteLength } = this.#blocks!.gives[to]!;
    const length = this.#lengthOf(chunk, byteLength);
    const begin = this.#takersEnd(this.#context.rank, to, length);
    if (begin === length) return;
    const from = staged
      ? this.#stagingAddress(staging, perRank ? to : 0, chunk)
      : send! + source + this.#position(chunk);
    const into = this.#meeting.recvAddress(to) + target + this.#position(chunk);
    this.#context.kernels.copy(into + begin, from + begin, length - begin);
  }

  #collect(chunk: number): void {
    const prepared = this.#prepared!;
    if (!prepared.recvOutside || !prepared.gets) return;
    const { rank } = this.#context;
    const byteLength = this.#lengthOf(chunk, this.#blocks!.fetches[rank]!.byteLength);
    const source = this.#targetAddress(rank, chunk);
    copyOut(this.#context, prepared, { source, target: this.#position(chunk), byteLength });
  }

  /** The ranks that the last synchronisation waits for. */
  missing(): number[] {
    return this.#clock.behind(this.#clock.phase);
  }
}
