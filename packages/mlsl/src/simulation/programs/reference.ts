/**
 * What a collective yields: the schedules of all ranks carried out plainly, step by step, every
 * message read when it is sent and nothing under way at the same time. Independent of engines,
 * chunks and time; bit for bit what every execution must yield.
 */

import type { TransportKind } from "../../schedules/transport/shapes.js";
import type { Region, TransportSchedule, TransportStep } from "../../schedules/transport/steps.js";
import type { CaseRank } from "./collectiveCases.js";
import type { ProgramOperator } from "./operators.js";
import { RequestMemory, UNWRITTEN } from "./requestMemory.js";

/** A collective and what goes in. */
export interface ReferenceCase {
  readonly kind: TransportKind;
  readonly root: number;
  readonly parts: readonly CaseRank<TransportKind>[];
  readonly schedules: readonly TransportSchedule[];
  readonly operator: ProgramOperator;
  /** Element `index` of a rank's input. */
  input(rank: number, index: number): number;
}

const BASES = { send: 0, recv: 1, scratch: 2 } as const;

/** One rank's way through its steps. */
class Walker {
  readonly memory: RequestMemory;
  readonly #steps: readonly TransportStep[];
  readonly #operator: ProgramOperator;
  #next = 0;

  constructor(reference: ReferenceCase, rank: number) {
    const { kind, root, parts, schedules, operator } = reference;
    const schedule = schedules[rank]!;
    this.#steps = schedule.steps;
    this.#operator = operator;
    this.memory = new RequestMemory(parts[rank]!, schedule.scratchCount, false);
    const isInRecv = kind === "broadcast" && rank === root;
    this.memory.prepare((index) => reference.input(rank, index), isInRecv);
  }

  get isOver(): boolean {
    return this.#next === this.#steps.length;
  }

  #view({ buffer, offset, count }: Region): Float64Array {
    const begin = this.memory.bases[BASES[buffer]] + offset;
    return this.memory.cells.subarray(begin, begin + count);
  }

  /** Goes on as far as possible. @returns whether it did at all */
  walk(rank: number, channels: Channels): boolean {
    const first = this.#next;
    for (let step = this.#steps[first]; step !== undefined; step = this.#steps[this.#next]) {
      if (step.kind === "copy") this.#view(step.to).set(this.#view(step.from));
      else if (step.kind === "send") channels.push(rank, step.to, this.#view(step.region).slice());
      else if (!this.#receive(step, channels.shift(step.from, rank))) break;
      this.#next++;
    }
    return this.#next > first;
  }

  #receive(
    { region, combine }: TransportStep & { kind: "receive" },
    received: Float64Array | undefined,
  ): boolean {
    if (received === undefined) return false;
    const own = this.#view(region);
    const operator = this.#operator;
    received.forEach((value, i) => {
      if (combine === undefined) own[i] = value;
      else if (combine === "before") own[i] = operator.combine(value, own[i]!);
      else own[i] = operator.combine(own[i]!, value);
    });
    return true;
  }
}

/** Messages that have been sent. */
class Channels {
  readonly #messages = new Map<number, Float64Array[]>();
  readonly #ranks: number;

  constructor(ranks: number) {
    this.#ranks = ranks;
  }

  push(from: number, to: number, message: Float64Array): void {
    const key = from * this.#ranks + to;
    const waiting = this.#messages.get(key);
    if (waiting === undefined) this.#messages.set(key, [message]);
    else waiting.push(message);
  }

  shift(from: number, to: number): Float64Array | undefined {
    return this.#messages.get(from * this.#ranks + to)?.shift();
  }
}

/**
 * What lies in "recv" of every rank afterwards.
 *
 * @throws {Error} if it is not what the collective means
 */
export function referenceResults(reference: ReferenceCase): Float64Array[] {
  const ranks = reference.parts.length;
  const walkers = reference.parts.map((_, rank) => new Walker(reference, rank));
  const channels = new Channels(ranks);
  let moved = true;
  while (moved) {
    moved = false;
    walkers.forEach((walker, rank) => {
      if (walker.walk(rank, channels)) moved = true;
    });
  }
  return walkers.map(({ isOver, memory }, rank) => {
    if (!isOver) throw new Error(`The schedule of rank ${rank} waits for ever`);
    checkMeaning(reference, rank, memory.recv);
    return memory.recv;
  });
}

/** Holds results against what the collective means, where that does not depend on brackets. */
function checkMeaning(reference: ReferenceCase, rank: number, recv: Float64Array): void {
  const { parts, operator, input } = reference;
  for (let i = 0; i < recv.length; i++) {
    const expected = parts[rank]!.expected(i);
    if (expected.kind === "reduction" && !operator.isExact) continue;
    let value = UNWRITTEN;
    if (expected.kind === "input") value = input(expected.rank, expected.index);
    if (expected.kind === "reduction") {
      value = input(0, expected.index);
      for (let from = 1; from < parts.length; from++) {
        value = operator.combine(value, input(from, expected.index));
      }
    }
    if (recv[i] === value) continue;
    throw new Error(`The schedules yield ${recv[i]} in element ${i} of rank ${rank}, not ${value}`);
  }
}
