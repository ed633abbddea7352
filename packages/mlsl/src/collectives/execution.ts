/**
 * Runs one operation at a time of a group through its states, as far as it can go without
 * waiting: meeting (publish what is asked, see what the others ask), then either the small way
 * (the data came along with the meeting) or the steps of a schedule.
 */

import { MismatchError } from "../errors/communicationErrors.js";
import {
  EXCHANGE,
  INLINE_BYTES,
  INLINE_OFFSET,
  LINE,
  LINE_BYTES,
  PLAN,
  REQUEST,
  SLOT_BYTES,
} from "../kernels/exchangeLayout.js";
import { type Kernels, OP_CODES } from "../kernels/kernels.js";
import type { ElementArray } from "../memory/dataTypes.js";
import type { Segment } from "../memory/segment.js";
import {
  type DirectShape,
  directAllgather,
  directAllreduce,
  directBroadcast,
  type Step,
} from "../schedules/direct.js";
import { sliceOf } from "../schedules/slices.js";
import type { GroupMemory } from "./groupMemory.js";
import {
  fingerprintOf,
  fingerprintText,
  type GroupPlace,
  type Operation,
  placeOf,
  readFingerprint,
} from "./operation.js";

/** Flags of a line's staging word: the rank's send or recv buffer lies outside the segment. */
const SEND_OUTSIDE = 1;
const RECV_OUTSIDE = 2;

type State = "idle" | "meeting" | "running";

function bytesOf(array: ElementArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Everything that an execution works with. */
export interface ExecutionContext {
  readonly segment: Segment;
  readonly kernels: Kernels;
  readonly memory: GroupMemory;
  readonly place: GroupPlace;
}

/** The operation that is under way on this rank, if any. */
export class Execution {
  readonly #segment: Segment;
  readonly #kernels: Kernels;
  readonly #memory: GroupMemory;
  readonly #place: GroupPlace;
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  #state: State = "idle";
  #operation: Operation | undefined;
  /** Number of the operation under way, from 1; wraps at 2³². */
  #sequence = 0;
  /** This rank's phase; wraps likewise. */
  #phase = 0;
  #small = false;
  #chunkBytes = 0;
  #steps: readonly Step[] = [];
  #nextStep = 0;
  #syncing = false;

  constructor({ segment, kernels, memory, place }: ExecutionContext) {
    this.#segment = segment;
    this.#kernels = kernels;
    this.#memory = memory;
    this.#place = place;
    this.#words = segment.words;
    this.#bytes = new Uint8Array(segment.buffer);
    const request = memory.request / 4;
    this.#words[request + REQUEST.ranks] = segment.ranks;
    this.#words[request + REQUEST.rank] = segment.rank;
    this.#words[request + REQUEST.sleepers] = memory.control.sleepers;
    this.#words[request + REQUEST.plan] = memory.plan;
  }

  /** Number of the operation under way or of the last one, from 1. */
  get sequence(): number {
    return this.#sequence;
  }

  get #parity(): 0 | 1 {
    return this.#sequence % 2 === 0 ? 0 : 1;
  }

  /** Begins an operation; none may be under way. */
  begin(operation: Operation): void {
    this.#operation = operation;
    this.#sequence = (this.#sequence + 1) % 4294967296;
    this.#state = "meeting";
    this.#small = payloadBytesOf(operation) <= SLOT_BYTES;
    const { send, recv } = operation;
    const flags =
      (send !== undefined && !this.#segment.holds(send) ? SEND_OUTSIDE : 0) +
      (recv !== undefined && !this.#segment.holds(recv) ? RECV_OUTSIDE : 0);
    this.#writeRequest(operation, flags);
    if (this.#small) this.#preparePayload(operation);
    else this.#stage(0, Math.min(this.#memory.chunkBytes, send?.byteLength ?? 0));
  }

  #writeRequest(operation: Operation, flags: number): void {
    const { control, request, staging } = this.#memory;
    const words = this.#words;
    const first = request / 4;
    const print = fingerprintOf(operation);
    const { send, recv } = operation;
    words[first + REQUEST.lines] = control.lines[this.#parity];
    words[first + REQUEST.slots] = control.slots[this.#parity];
    words[first + REQUEST.sequence] = this.#sequence;
    words[first + REQUEST.kind] = print.kind;
    words[first + REQUEST.countLow] = print.countLow;
    words[first + REQUEST.countHighAndRoot] = print.countHighAndRoot;
    const sendOutside = flags % 2 === SEND_OUTSIDE;
    words[first + REQUEST.send] = sendOutside ? staging : (send?.byteOffset ?? 0);
    words[first + REQUEST.recv] = flags >= RECV_OUTSIDE ? staging : (recv?.byteOffset ?? 0);
    words[first + REQUEST.staging] = flags;
    words[first + REQUEST.payloadBytes] = 0;
    words[first + REQUEST.published] = 0;
    if (operation.op !== undefined) this.#writePlan(operation.op, operation.type?.code ?? 0);
  }

  #writePlan(op: keyof typeof OP_CODES, typeCode: number): void {
    const first = this.#memory.plan / 4;
    this.#words[first + PLAN.code] = typeCode * 256 + OP_CODES[op];
    this.#words[first + PLAN.sourceCount] = this.#segment.ranks;
    this.#words[first + PLAN.targetCount] = 1;
    this.#words[first + PLAN.ranks] = this.#segment.ranks;
  }

  /** A payload from outside the segment goes through the staging block. */
  #preparePayload({ kind, root, send }: Operation): void {
    if (send === undefined || send.byteLength === 0) return;
    const first = this.#memory.request / 4;
    this.#words[first + REQUEST.payloadBytes] = send.byteLength;
    if (kind === "broadcast" && root !== this.#segment.rank) {
      this.#words[first + REQUEST.send] = 0; // nothing to carry along
    } else if (!this.#segment.holds(send)) {
      this.#bytes.set(bytesOf(send), this.#memory.staging);
    }
  }

  /**
   * Goes on as far as possible without waiting longer than `spins` looks.
   *
   * @returns whether the operation has completed
   * @throws {MismatchError} If the ranks ask for different things.
   */
  progress(spins: number): boolean {
    if (this.#state === "meeting" && !this.#meet(spins)) return false;
    if (this.#state === "running" && !this.#runSteps(spins)) return false;
    this.#state = "idle";
    this.#operation = undefined;
    return true;
  }

  #meet(spins: number): boolean {
    const operation = this.#operation!;
    const { request, control } = this.#memory;
    this.#words[request / 4 + REQUEST.spins] = spins;
    const reduces = this.#small && operation.kind === "allreduce" && operation.count > 0;
    let result = this.#exchange(reduces);
    if (result === EXCHANGE.wake) {
      this.#wake();
      result = this.#exchange(reduces);
    }
    if (result === EXCHANGE.waiting) return false;
    if (result === EXCHANGE.mismatch) throw this.#mismatch(control.lines[this.#parity]);
    if (this.#small) {
      this.#deliver(operation);
      this.#state = "idle";
    } else {
      this.#plan(operation);
      this.#state = "running";
    }
    return true;
  }

  #exchange(reduces: boolean) {
    const { request } = this.#memory;
    return reduces ? this.#kernels.exchangeReduce(request) : this.#kernels.exchange(request);
  }

  #wake(): void {
    const { wakeCount } = this.#memory.control;
    // Safe: the count changes before the call, so whoever read the old count does not fall asleep.
    Atomics.add(this.#words, wakeCount / 4, 1);
    this.#segment.parker.wake(wakeCount);
  }

  #mismatch(lines: number): MismatchError {
    const requested: string[] = [];
    for (let rank = 0; rank < this.#segment.ranks; rank++) {
      requested.push(fingerprintText(readFingerprint(this.#words, lines, rank)));
    }
    return new MismatchError(placeOf(this.#place, this.#operation!, this.#sequence), requested);
  }

  /** Takes the results of the small way to where the caller wants them. */
  #deliver({ kind, root, recv, send }: Operation): void {
    if (recv === undefined || send === undefined || send.byteLength === 0) return;
    const byteLength = send.byteLength;
    switch (kind) {
      case "allreduce":
        if (!this.#segment.holds(recv)) this.#copyOut(recv, 0, this.#memory.staging, byteLength);
        break;
      case "broadcast":
        if (root !== this.#segment.rank) {
          this.#copyOut(recv, 0, this.#payload(root, byteLength), byteLength);
        }
        break;
      case "allgather":
        for (let r = 0; r < this.#segment.ranks; r++) {
          this.#copyOut(recv, r * byteLength, this.#payload(r, byteLength), byteLength);
        }
        break;
      case "barrier":
        break;
    }
  }

  #payload(rank: number, byteLength: number): number {
    const { lines, slots } = this.#memory.control;
    return byteLength <= INLINE_BYTES
      ? lines[this.#parity] + rank * LINE_BYTES + INLINE_OFFSET
      : slots[this.#parity] + rank * SLOT_BYTES;
  }

  /** Copies bytes of the segment to a position of an array, wherever that lies. */
  #copyOut(array: ElementArray, position: number, source: number, byteLength: number): void {
    if (this.#segment.holds(array)) {
      const target = array.byteOffset + position;
      if (target !== source) this.#kernels.copy(target, source, byteLength);
    } else {
      bytesOf(array).set(this.#bytes.subarray(source, source + byteLength), position);
    }
  }

  /** Chooses the schedule, now that it is known whose buffers lie outside the segment. */
  #plan({ kind, root, send }: Operation): void {
    const byteLength = send!.byteLength;
    const chunked = this.#anyOutside(kind, root);
    this.#chunkBytes = chunked ? this.#memory.chunkBytes : byteLength;
    const { rank, ranks } = this.#segment;
    const shape: DirectShape = { rank, ranks, chunks: Math.ceil(byteLength / this.#chunkBytes) };
    this.#nextStep = 0;
    this.#syncing = false;
    if (kind === "allreduce") this.#steps = directAllreduce(shape);
    else if (kind === "broadcast") this.#steps = directBroadcast(shape, root);
    else this.#steps = directAllgather(shape);
  }

  #anyOutside(kind: Operation["kind"], root: number): boolean {
    if (kind === "broadcast") return this.#outside(root) % 2 === SEND_OUTSIDE;
    for (let r = 0; r < this.#segment.ranks; r++) {
      const flags = this.#outside(r);
      if (kind === "allreduce" ? flags !== 0 : flags % 2 === SEND_OUTSIDE) return true;
    }
    return false;
  }

  /** A word of a rank's arrival line. */
  #line(rank: number, word: number): number {
    const lines = this.#memory.control.lines[this.#parity];
    return this.#words[(lines + rank * LINE_BYTES) / 4 + word]! >>> 0; // bits: unsigned address
  }

  #outside(rank: number): number {
    return this.#line(rank, LINE.staging);
  }

  /** Where a rank's chunk lies: in its buffer, or in the staging block whose turn it is. */
  #sendAddress(rank: number, chunk: number): number {
    const outside = this.#outside(rank) % 2 === SEND_OUTSIDE;
    return this.#chunkAddress(this.#line(rank, LINE.send), outside, chunk);
  }

  #recvAddress(rank: number, chunk: number): number {
    const outside = this.#outside(rank) >= RECV_OUTSIDE;
    return this.#chunkAddress(this.#line(rank, LINE.recv), outside, chunk);
  }

  #chunkAddress(base: number, outside: boolean, chunk: number): number {
    return base + (outside ? (chunk % 2) * this.#memory.chunkBytes : chunk * this.#chunkBytes);
  }

  #runSteps(spins: number): boolean {
    while (this.#nextStep < this.#steps.length) {
      if (!this.#run(this.#steps[this.#nextStep]!, spins)) return false;
      this.#nextStep++;
    }
    return true;
  }

  #run(step: Step, spins: number): boolean {
    switch (step.kind) {
      case "sync":
        return this.#sync(spins);
      case "stage":
        this.#stage(step.chunk, this.#lengthOf(step.chunk));
        return true;
      case "reduce":
        this.#reduce(step.chunk);
        return true;
      case "fetch":
        this.#fetch(step.chunk, step.from);
        return true;
      case "collect":
        this.#collect(step.chunk);
        return true;
    }
  }

  #lengthOf(chunk: number): number {
    const byteLength = this.#operation!.send!.byteLength;
    return Math.min(this.#chunkBytes, byteLength - chunk * this.#chunkBytes);
  }

  #sync(spins: number): boolean {
    const { phases, sleepers } = this.#memory.control;
    const { rank, ranks } = this.#segment;
    if (!this.#syncing) {
      this.#phase = (this.#phase + 1) % 4294967296;
      const sleeping = this.#kernels.advance(phases + rank * LINE_BYTES, this.#phase, sleepers);
      if (sleeping !== 0) this.#wake();
      this.#syncing = true;
    }
    if (this.#kernels.awaitPhases(phases, ranks, this.#phase, spins) !== 0) return false;
    this.#syncing = false;
    return true;
  }

  #stage(chunk: number, byteLength: number): void {
    const { kind, root, send } = this.#operation!;
    if (send === undefined || this.#segment.holds(send)) return;
    if (kind === "broadcast" && root !== this.#segment.rank) return;
    const { staging, chunkBytes } = this.#memory;
    const source = new Uint8Array(send.buffer, send.byteOffset + chunk * chunkBytes, byteLength);
    this.#bytes.set(source, staging + (chunk % 2) * chunkBytes);
  }

  #reduce(chunk: number): void {
    const { rank, ranks } = this.#segment;
    const { plan } = this.#memory;
    const table = plan / 4 + PLAN.addresses;
    for (let r = 0; r < ranks; r++) {
      this.#words[table + r] = this.#sendAddress(r, chunk);
      this.#words[table + ranks + r] = this.#recvAddress(r, chunk);
    }
    this.#words[plan / 4 + PLAN.targetCount] = ranks;
    const { begin, end } = sliceOf(this.#lengthOf(chunk), rank, ranks);
    this.#kernels.reduce(plan, begin, end);
  }

  #fetch(chunk: number, from: number): void {
    const { kind, recv, send } = this.#operation!;
    const start = kind === "allgather" ? from * send!.byteLength : 0;
    const position = start + chunk * this.#chunkBytes;
    this.#copyOut(recv!, position, this.#sendAddress(from, chunk), this.#lengthOf(chunk));
  }

  #collect(chunk: number): void {
    const recv = this.#operation!.recv!;
    if (this.#segment.holds(recv)) return;
    const source = this.#recvAddress(this.#segment.rank, chunk);
    this.#copyOut(recv, chunk * this.#chunkBytes, source, this.#lengthOf(chunk));
  }

  /** The ranks that the operation under way waits for. */
  missing(): number[] {
    const { lines, phases } = this.#memory.control;
    const missing: number[] = [];
    for (let r = 0; r < this.#segment.ranks; r++) {
      // Safe: both words are only compared; a rank that arrives meanwhile is merely still listed.
      const sequence = Atomics.load(this.#words, (lines[this.#parity] + r * LINE_BYTES) / 4);
      const phase = Atomics.load(this.#words, (phases + r * LINE_BYTES) / 4);
      const behind =
        this.#state === "meeting"
          ? sequence !== (this.#sequence | 0) // bits: as the int32 that the word is read as
          : ((phase - this.#phase) | 0) < 0; // bits: signed distance of wrapping numbers
      if (behind) missing.push(r);
    }
    return missing;
  }
}

/** Bytes that travel with the meeting if they are few enough. */
function payloadBytesOf({ send }: Operation): number {
  return send?.byteLength ?? 0;
}
