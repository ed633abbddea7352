/**
 * The kernels in plain TypeScript: the readable twin of `assembly/`, slow and obvious. Tests run
 * one suite over both; `MLSL_KERNELS=plain` makes a job use this one.
 */

import {
  EXCHANGE,
  type ExchangeResult,
  INLINE_BYTES,
  INLINE_OFFSET,
  LINE,
  LINE_BYTES,
  PLAN,
  REQUEST,
  SLOT_BYTES,
  TURN,
} from "./exchangeLayout.js";
import { type Kernels, OP_CODES } from "./kernels.js";
import { halvesAt, typeOfCode } from "./plainMemory.js";
import { type PlainPlan, reducePlain } from "./plainReduce.js";
import type { ReductionOperator } from "./reductions.js";

const OPERATORS = Object.keys(OP_CODES) as ReductionOperator[];

class PlainKernels implements Kernels {
  readonly name = "plain";
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
    this.#bytes = new Uint8Array(buffer);
  }

  #word(byteOffset: number, index: number): number {
    return this.#words[byteOffset / 4 + index]! >>> 0; // bits: a 32-bit address, read unsigned
  }

  reduce(plan: number, begin: number, end: number): void {
    reducePlain(this.#readPlan(plan), begin, end);
  }

  #readPlan(plan: number): PlainPlan {
    const code = this.#word(plan, PLAN.code);
    const op = OPERATORS.find((name) => OP_CODES[name] === code % 256);
    if (op === undefined) throw new TypeError(`Cannot reduce by operator ${code % 256}: no kernel`);
    const sourceCount = this.#word(plan, PLAN.sourceCount);
    const targetCount = this.#word(plan, PLAN.targetCount);
    const tree = this.#word(plan, PLAN.tree);
    const addresses = Array.from({ length: sourceCount + targetCount }, (_, i) => {
      return this.#word(plan, PLAN.addresses + i);
    });
    const factors = new Float64Array(this.#words.buffer, plan + 4 * PLAN.pre, 2);
    return {
      buffer: this.#words.buffer,
      type: typeOfCode(Math.floor(code / 256)),
      op,
      ranks: this.#word(plan, PLAN.ranks),
      pre: factors[0]!,
      post: factors[1]!,
      tree: Array.from({ length: sourceCount }, (_, turn) => ({
        rank: this.#word(tree, TURN.words * turn + TURN.rank),
        merges: this.#word(tree, TURN.words * turn + TURN.merges),
      })),
      sources: addresses.slice(0, sourceCount),
      targets: addresses.slice(sourceCount),
    };
  }

  exchange(request: number): ExchangeResult {
    const own = this.#word(request, REQUEST.lines) + this.#word(request, REQUEST.rank) * LINE_BYTES;
    if (this.#word(request, REQUEST.published) === 0) {
      this.#publish(request, own);
      if (this.#sleeps(request)) return EXCHANGE.wake;
    }
    if (!this.#arrived(request)) return EXCHANGE.waiting;
    return this.#matches(request, own) ? EXCHANGE.done : EXCHANGE.mismatch;
  }

  #sleeps(request: number): boolean {
    const sleepers = this.#word(request, REQUEST.sleepers) / 4;
    const masks = request / 4 + REQUEST.maskLow;
    for (const half of [0, 1]) {
      // Safe: a sleeper sets its bit before its last look at lines and phases, this rank stores
      // its line or phase before it reads the bits. One of the two sees the other.
      const asleep = Atomics.load(this.#words, sleepers + half) & this.#words[masks + half]!; // bits: one per rank
      if (asleep !== 0) return true;
    }
    return false;
  }

  #payload(request: number, rank: number): number {
    return this.#word(request, REQUEST.payloadBytes) <= INLINE_BYTES
      ? this.#word(request, REQUEST.lines) + rank * LINE_BYTES + INLINE_OFFSET
      : this.#word(request, REQUEST.slots) + rank * SLOT_BYTES;
  }

  #publish(request: number, own: number): void {
    this.copy(own + 4, request + 4 * REQUEST.kind, 28);
    const byteLength = this.#word(request, REQUEST.payloadBytes);
    const send = this.#word(request, REQUEST.send);
    if (send !== 0) {
      this.copy(this.#payload(request, this.#word(request, REQUEST.rank)), send, byteLength);
    }
    this.#words[request / 4 + REQUEST.published] = 1;
    // Safe: everything that peers will read was written above; this store releases it.
    Atomics.store(this.#words, own / 4, this.#word(request, REQUEST.sequence));
  }

  #arrived(request: number): boolean {
    const lines = this.#word(request, REQUEST.lines) / 4;
    const sequence = this.#words[request / 4 + REQUEST.sequence]!;
    const ranks = this.#word(request, REQUEST.ranks);
    let spins = this.#word(request, REQUEST.spins);
    for (let r = 0; r < ranks; r++) {
      // Safe: a rank writes its line before it stores the number, and not again before this rank
      // has moved on.
      while (Atomics.load(this.#words, lines + (r * LINE_BYTES) / 4) !== sequence) {
        if (spins-- === 0) return false;
      }
    }
    return true;
  }

  #matches(request: number, own: number): boolean {
    const lines = this.#word(request, REQUEST.lines);
    for (let r = 0; r < this.#word(request, REQUEST.ranks); r++) {
      for (const word of [LINE.kind, LINE.countLow, LINE.countHighAndRoot, LINE.extra]) {
        if (this.#word(lines + r * LINE_BYTES, word) !== this.#word(own, word)) return false;
      }
    }
    return true;
  }

  exchangeReduce(request: number): ExchangeResult {
    const result = this.exchange(request);
    if (result !== EXCHANGE.done) return result;
    const [begin, end] = [this.#word(request, REQUEST.begin), this.#word(request, REQUEST.end)];
    this.reduce(this.#word(request, REQUEST.plan), begin, end);
    return EXCHANGE.done;
  }

  exchangeFetch(request: number): ExchangeResult {
    const result = this.exchange(request);
    if (result !== EXCHANGE.done) return result;
    const begin = this.#word(request, REQUEST.begin);
    const byteLength = this.#word(request, REQUEST.end) - begin;
    const first = this.#word(request, REQUEST.first);
    for (let r = first; r < this.#word(request, REQUEST.last); r++) {
      const at = (r - first) * this.#word(request, REQUEST.stride);
      const source = this.#payload(request, r) + begin;
      this.copy(this.#word(request, REQUEST.recv) + at, source, byteLength);
    }
    return EXCHANGE.done;
  }

  awaitPhases(phases: number, ranks: number, phase: number, spins: number): number {
    let left = spins;
    for (let r = 0; r < ranks; r++) {
      // Safe: phases only grow, and what a rank did before it raised its phase is visible to
      // whoever has seen it. The difference is signed (| 0), so that numbers may wrap.
      while (((Atomics.load(this.#words, (phases + r * LINE_BYTES) / 4) - phase) | 0) < 0) {
        if (left-- === 0) return EXCHANGE.waiting;
      }
    }
    return EXCHANGE.done;
  }

  advance(phase: number, value: number, request: number): number {
    // Safe: store first, then read who sleeps, as in exchange.
    Atomics.store(this.#words, phase / 4, value);
    return this.#sleeps(request) ? 1 : 0;
  }

  copy(target: number, source: number, byteLength: number): void {
    this.#bytes.copyWithin(target, source, source + byteLength);
  }

  toFloat32(target: number, source: number, count: number, typeCode: number): void {
    const halves = halvesAt(this.#words.buffer, typeCode, source, count);
    new Float32Array(this.#words.buffer, target, count).set(halves.toFloat32());
  }

  fromFloat32(target: number, source: number, count: number, typeCode: number): void {
    const halves = halvesAt(this.#words.buffer, typeCode, target, count);
    halves.set(new Float32Array(this.#words.buffer, source, count));
  }
}

/** The plain kernels over a segment's bytes. */
export function plainKernels(buffer: SharedArrayBuffer): Kernels {
  return new PlainKernels(buffer);
}
