/** Executes the steps of a schedule on the buffers that the ranks brought to a meeting. */

import { LINE_BYTES, PLAN } from "../kernels/exchangeLayout.js";
import type { ElementArray } from "../memory/dataTypes.js";
import {
  type DirectShape,
  directAllgather,
  directAllreduce,
  directBroadcast,
  type Step,
} from "../schedules/direct.js";
import { sliceOf } from "../schedules/slices.js";
import type { ExecutionContext, Meeting } from "./meeting.js";
import type { Prepared } from "./prepared.js";

/** 2³²: phases wrap. */
const WRAP = 4294967296;

/** A buffer of one chunk: inside the segment, as a whole. */
const NO_CHUNKS = Number.MAX_SAFE_INTEGER;

/** Bytes of the segment. */
export interface Piece {
  readonly source: number;
  readonly byteLength: number;
}

/** Runs one operation's steps at a time. */
export class StepRunner {
  readonly #context: ExecutionContext;
  readonly #meeting: Meeting;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  /** This rank's phase: how often it has synchronised, modulo 2³². */
  #phase = 0;
  #syncing = false;
  #prepared: Prepared | undefined;
  #steps: readonly Step[] = [];
  #next = 0;
  /** Bytes of a chunk of the operation under way. */
  #chunkBytes = NO_CHUNKS;

  constructor(context: ExecutionContext, meeting: Meeting) {
    this.#context = context;
    this.#meeting = meeting;
    this.#words = context.segment.words;
    this.#bytes = new Uint8Array(context.segment.buffer);
  }

  /** Stages the first chunk, before the ranks meet. */
  prepareFirst(prepared: Prepared): void {
    this.#prepared = prepared;
    this.#chunkBytes = this.#context.memory.chunkBytes;
    if (prepared.byteLength > 0) this.#stage(0);
  }

  /** Chooses the schedule, now that it is known whose buffers lie outside the segment. */
  plan(): void {
    const { operation, byteLength } = this.#prepared!;
    const { rank, ranks } = this.#context.segment;
    const { kind, root } = operation;
    this.#chunkBytes = this.#anyOutside() ? this.#context.memory.chunkBytes : NO_CHUNKS;
    const shape: DirectShape = { rank, ranks, chunks: Math.ceil(byteLength / this.#chunkBytes) };
    this.#next = 0;
    if (kind === "allreduce") this.#steps = directAllreduce(shape);
    else if (kind === "broadcast") this.#steps = directBroadcast(shape, root);
    else this.#steps = directAllgather(shape);
  }

  #anyOutside(): boolean {
    const { kind, root } = this.#prepared!.operation;
    const meeting = this.#meeting;
    if (kind === "broadcast") return meeting.sendOutside(root);
    for (let rank = 0; rank < this.#context.segment.ranks; rank++) {
      if (meeting.sendOutside(rank)) return true;
      // Results of an all-reduce are written by the peers, those of an all-gather are not.
      if (kind === "allreduce" && meeting.recvOutside(rank)) return true;
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
    if (step.kind === "sync") return this.#sync(spins);
    if (step.kind === "stage") this.#stage(step.chunk);
    else if (step.kind === "reduce") this.#reduce(step.chunk);
    else if (step.kind === "fetch") this.#fetch(step.chunk, step.from);
    else this.#collect(step.chunk);
    return true;
  }

  #sync(spins: number): boolean {
    const { kernels, memory, segment } = this.#context;
    const { phases, sleepers } = memory.control;
    if (!this.#syncing) {
      this.#phase = (this.#phase + 1) % WRAP;
      const own = phases + segment.rank * LINE_BYTES;
      if (kernels.advance(own, this.#phase, sleepers) !== 0) this.#meeting.wake();
      this.#syncing = true;
    }
    if (kernels.awaitPhases(phases, segment.ranks, this.#phase, spins) !== 0) return false;
    this.#syncing = false;
    return true;
  }

  #lengthOf(chunk: number): number {
    const { byteLength } = this.#prepared!;
    return Math.min(this.#chunkBytes, byteLength - this.#position(chunk));
  }

  /** First byte of a chunk in its buffer. */
  #position(chunk: number): number {
    return chunk === 0 ? 0 : chunk * this.#chunkBytes;
  }

  #stage(chunk: number): void {
    const { operation, sendOutside, gives } = this.#prepared!;
    if (!sendOutside || !gives) return;
    const { send } = operation;
    const { staging, chunkBytes } = this.#context.memory;
    const byteOffset = send!.byteOffset + this.#position(chunk);
    const source = new Uint8Array(send!.buffer, byteOffset, this.#lengthOf(chunk));
    this.#bytes.set(source, staging + (chunk % 2) * chunkBytes);
  }

  /** Where a rank's chunk lies: in its buffer, or in the staging block whose turn it is. */
  #chunkAddress(base: number, outside: boolean, chunk: number): number {
    if (!outside) return base + this.#position(chunk);
    return base + (chunk % 2) * this.#context.memory.chunkBytes;
  }

  #sendAddress(rank: number, chunk: number): number {
    const meeting = this.#meeting;
    return this.#chunkAddress(meeting.sendAddress(rank), meeting.sendOutside(rank), chunk);
  }

  #recvAddress(rank: number, chunk: number): number {
    const meeting = this.#meeting;
    return this.#chunkAddress(meeting.recvAddress(rank), meeting.recvOutside(rank), chunk);
  }

  #reduce(chunk: number): void {
    const { kernels, memory, segment } = this.#context;
    const { rank, ranks } = segment;
    const table = memory.plan / 4 + PLAN.addresses;
    for (let r = 0; r < ranks; r++) {
      this.#words[table + r] = this.#sendAddress(r, chunk);
      this.#words[table + ranks + r] = this.#recvAddress(r, chunk);
    }
    this.#words[memory.plan / 4 + PLAN.targetCount] = ranks;
    const { begin, end } = sliceOf(this.#lengthOf(chunk), rank, ranks);
    kernels.reduce(memory.plan, begin, end);
  }

  #fetch(chunk: number, from: number): void {
    const { operation, byteLength } = this.#prepared!;
    const start = operation.kind === "allgather" ? from * byteLength : 0;
    const position = start + this.#position(chunk);
    const source = this.#sendAddress(from, chunk);
    this.copyOut(this.#prepared!, position, { source, byteLength: this.#lengthOf(chunk) });
  }

  #collect(chunk: number): void {
    if (!this.#prepared!.recvOutside) return;
    const source = this.#recvAddress(this.#context.segment.rank, chunk);
    const piece = { source, byteLength: this.#lengthOf(chunk) };
    this.copyOut(this.#prepared!, this.#position(chunk), piece);
  }

  /** Copies bytes of the segment to a position of an operation's `recv`, wherever that lies. */
  copyOut({ recv, operation }: Prepared, position: number, piece: Piece): void {
    const { source, byteLength } = piece;
    if (recv !== undefined) {
      const target = recv + position;
      if (target !== source) this.#context.kernels.copy(target, source, byteLength);
    } else {
      bytesOf(operation.recv!).set(this.#bytes.subarray(source, source + byteLength), position);
    }
  }

  /** The ranks that the last synchronisation waits for. */
  missing(): number[] {
    const { segment, memory } = this.#context;
    const missing: number[] = [];
    for (let rank = 0; rank < segment.ranks; rank++) {
      const index = (memory.control.phases + rank * LINE_BYTES) / 4;
      // Safe: only compared; a rank that arrives meanwhile is merely still listed.
      const distance = (Atomics.load(this.#words, index) - this.#phase) | 0; // bits: signed, wraps
      if (distance < 0) missing.push(rank);
    }
    return missing;
  }
}

function bytesOf(array: ElementArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}
