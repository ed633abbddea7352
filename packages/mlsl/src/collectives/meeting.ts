/**
 * How the ranks of a group meet: each publishes what it asks for, where its buffers lie and, when
 * it is small, its data; then it reads the same of everybody else.
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
import type { Kernels } from "../kernels/kernels.js";
import type { Segment } from "../memory/segment.js";
import type { GroupMemory } from "./groupMemory.js";
import { fingerprintText, type GroupPlace, placeOf, readFingerprint } from "./operation.js";
import type { Prepared } from "./prepared.js";

/** Everything that a group's execution works with, on one rank. */
export interface ExecutionContext {
  readonly segment: Segment;
  readonly kernels: Kernels;
  readonly memory: GroupMemory;
  readonly place: GroupPlace;
}

/** Flags of a line's staging word: the rank's buffer lies outside the segment. */
const SEND_OUTSIDE = 1;
const RECV_OUTSIDE = 2;

/** 2³²: sequence numbers wrap. */
const WRAP = 4294967296;

/** The meetings of a group, one after the other, as one rank takes part in them. */
export class Meeting {
  readonly #context: ExecutionContext;
  readonly #words: Int32Array;
  /** Index of the first word of this rank's request block. */
  readonly #first: number;
  #sequence = 0;
  #lines = 0;
  #slots = 0;

  constructor(context: ExecutionContext) {
    const { segment, memory } = context;
    this.#context = context;
    this.#words = segment.words;
    this.#first = memory.request / 4;
    this.#words[this.#first + REQUEST.ranks] = segment.ranks;
    this.#words[this.#first + REQUEST.rank] = segment.rank;
    this.#words[this.#first + REQUEST.sleepers] = memory.control.sleepers;
    this.#words[this.#first + REQUEST.plan] = memory.plan;
  }

  /** Number of the last operation that began, from 1; wraps at 2³². */
  get sequence(): number {
    return this.#sequence;
  }

  /** Writes down what this rank will publish; {@link attend} publishes it. */
  begin(prepared: Prepared): void {
    const { control, staging } = this.#context.memory;
    const { print, small, gives, byteLength, sendOutside, recvOutside } = prepared;
    const words = this.#words;
    const first = this.#first;
    this.#sequence = (this.#sequence + 1) % WRAP;
    const parity = this.#sequence % 2 === 0 ? 0 : 1;
    this.#lines = control.lines[parity];
    this.#slots = control.slots[parity];
    words[first + REQUEST.lines] = this.#lines;
    words[first + REQUEST.slots] = this.#slots;
    words[first + REQUEST.sequence] = this.#sequence;
    words[first + REQUEST.kind] = print.kind;
    words[first + REQUEST.countLow] = print.countLow;
    words[first + REQUEST.countHighAndRoot] = print.countHighAndRoot;
    // A small payload that this rank does not give is not copied along: address 0 says so.
    words[first + REQUEST.send] = small && !gives ? 0 : (prepared.send ?? staging);
    words[first + REQUEST.recv] = prepared.recv ?? staging;
    words[first + REQUEST.staging] =
      (sendOutside ? SEND_OUTSIDE : 0) + (recvOutside ? RECV_OUTSIDE : 0);
    words[first + REQUEST.payloadBytes] = small ? byteLength : 0;
    words[first + REQUEST.published] = 0;
    if (prepared.planCode !== 0) this.#writePlan(prepared.planCode);
  }

  #writePlan(code: number): void {
    const { segment, memory } = this.#context;
    const first = memory.plan / 4;
    this.#words[first + PLAN.code] = code;
    this.#words[first + PLAN.sourceCount] = segment.ranks;
    this.#words[first + PLAN.targetCount] = 1;
    this.#words[first + PLAN.ranks] = segment.ranks;
    this.#words[first + PLAN.tree] = memory.tree;
  }

  /**
   * Publishes (once) and looks for the others.
   *
   * @param reduces whether to reduce the payloads into `recv` at once
   * @returns whether everybody has come
   * @throws {MismatchError} If they ask for different things.
   */
  attend(prepared: Prepared, reduces: boolean, spins: number): boolean {
    this.#words[this.#first + REQUEST.spins] = spins;
    let result = this.#exchange(reduces);
    if (result === EXCHANGE.wake) {
      this.wake();
      result = this.#exchange(reduces);
    }
    if (result === EXCHANGE.mismatch) throw this.#mismatch(prepared);
    return result === EXCHANGE.done;
  }

  #exchange(reduces: boolean): number {
    const { kernels, memory } = this.#context;
    return reduces ? kernels.exchangeReduce(memory.request) : kernels.exchange(memory.request);
  }

  /** Wakes the ranks that sleep. */
  wake(): void {
    const { wakeCount } = this.#context.memory.control;
    // Safe: the count changes before the call, so whoever read the old count does not fall asleep.
    Atomics.add(this.#words, wakeCount / 4, 1);
    this.#context.segment.parker.wake(wakeCount);
  }

  #mismatch({ operation }: Prepared): MismatchError {
    const { segment, place } = this.#context;
    const requested: string[] = [];
    for (let rank = 0; rank < segment.ranks; rank++) {
      requested.push(fingerprintText(readFingerprint(this.#words, this.#lines, rank)));
    }
    return new MismatchError(placeOf(place, operation, this.#sequence), requested);
  }

  /** Byte offset of the small data that a rank has brought. */
  payload(rank: number, byteLength: number): number {
    return byteLength <= INLINE_BYTES
      ? this.#lines + rank * LINE_BYTES + INLINE_OFFSET
      : this.#slots + rank * SLOT_BYTES;
  }

  #line(rank: number, word: number): number {
    return this.#words[(this.#lines + rank * LINE_BYTES) / 4 + word]! >>> 0; // bits: unsigned
  }

  /** Where a rank's `send` lies, or its staging blocks when that is outside the segment. */
  sendAddress(rank: number): number {
    return this.#line(rank, LINE.send);
  }

  /** Where a rank's `recv` lies, or its staging blocks when that is outside the segment. */
  recvAddress(rank: number): number {
    return this.#line(rank, LINE.recv);
  }

  sendOutside(rank: number): boolean {
    return this.#line(rank, LINE.staging) % 2 === SEND_OUTSIDE;
  }

  recvOutside(rank: number): boolean {
    return this.#line(rank, LINE.staging) >= RECV_OUTSIDE;
  }

  /** The ranks that have not come. */
  missing(): number[] {
    const missing: number[] = [];
    for (let rank = 0; rank < this.#context.segment.ranks; rank++) {
      // Safe: only compared; a rank that arrives meanwhile is merely still listed.
      const word = Atomics.load(this.#words, (this.#lines + rank * LINE_BYTES) / 4);
      if ((word + WRAP) % WRAP !== this.#sequence) missing.push(rank);
    }
    return missing;
  }
}
