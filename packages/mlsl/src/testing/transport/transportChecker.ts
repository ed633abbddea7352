/**
 * Plays the schedules of all ranks on symbolic data, by the rules in schedules/transport/steps.ts,
 * in orders as different as they can be. Anything that a rank reads before it is there, writes
 * where it must not, waits for in vain or leaves unreceived is found here; whether the results are
 * right is for the caller to see in the memory that is left.
 *
 * A step that would write into a region still being sent waits until the matching receive is
 * complete: later it cannot be, so if no rank waits for ever here, none does where bytes leave
 * earlier. With early delivery the bytes are read when they are sent, and nothing is delayed.
 */

import type {
  BufferName,
  Region,
  TransportSchedule,
  TransportStep,
} from "../../schedules/transport/steps.js";
import type { InPlace } from "../../simulation/programs/collectiveCases.js";
import type { Random } from "../../simulation/random.js";
import type { Symbols } from "./symbols.js";

/** A rank at the start. */
export interface PlayedRank {
  readonly schedule: TransportSchedule;
  readonly sendCount: number;
  readonly recvCount: number;
  readonly inPlace?: InPlace | undefined;
}

/** Who comes first. */
export interface PlayOrder {
  readonly random: Random;
  /** A rank that runs whenever it can. */
  readonly fastest?: number;
  /** A rank that runs only when no other can. */
  readonly slowest?: number;
  /** A rank that never runs. */
  readonly absent?: number;
  /** Whether bytes are read when they are sent; default: when they are received. */
  readonly early?: boolean;
}

/** What a play costs: see schedules/transport/costs.ts. */
export interface PlayCost {
  readonly rounds: number;
  readonly sentCount: number;
}

interface Message {
  readonly from: number;
  readonly to: number;
  readonly address: number;
  readonly count: number;
  /** Round in which it can leave at the earliest. */
  readonly start: number;
  /** The bytes, if they have been read already. */
  readonly data: Int32Array | undefined;
  next: Message | undefined;
}

/** Most steps that a rank runs in a turn. */
const TURN_STEPS = 8;

/** One rank's memory and where it stands. */
export class RankModel {
  readonly rank: number;
  readonly steps: readonly TransportStep[];
  readonly memory: Int32Array;
  readonly base: Readonly<Record<BufferName, number>>;
  readonly length: Readonly<Record<BufferName, number>>;
  readonly inPlace: boolean;
  readonly leaving: Message[] = [];
  next = 0;
  isReady = true;
  clock = 0;
  sendFree = 0;
  recvFree = 0;
  sentCount = 0;

  constructor(rank: number, { schedule, sendCount, recvCount, inPlace }: PlayedRank) {
    this.rank = rank;
    this.steps = schedule.steps;
    this.inPlace = inPlace !== undefined;
    const outerSend = inPlace?.outer === "send";
    const send = inPlace?.outer === "recv" ? inPlace.offset : 0;
    const recv = inPlace === undefined ? sendCount : outerSend ? inPlace.offset : 0;
    const scratch = Math.max(send + sendCount, recv + recvCount);
    this.base = { send, recv, scratch };
    this.length = { send: sendCount, recv: recvCount, scratch: schedule.scratchCount };
    this.memory = new Int32Array(scratch + schedule.scratchCount);
  }

  get step(): TransportStep | undefined {
    return this.steps[this.next];
  }

  fail(what: string): never {
    const at = `step ${this.next}, ${JSON.stringify(this.step)}`;
    throw new Error(`Rank ${this.rank} at ${at}: ${what}`);
  }

  /** The address of a region, which must lie in its buffer. */
  address({ buffer, offset, count }: Region): number {
    const inside = offset >= 0 && count > 0 && offset + count <= this.length[buffer];
    if (!inside || !Number.isSafeInteger(offset + count) || !Number.isSafeInteger(offset)) {
      this.fail(`outside of "${buffer}", which has ${this.length[buffer]} elements`);
    }
    return this.base[buffer] + offset;
  }

  /** The address of a region that may be written. */
  target(region: Region): number {
    if (region.buffer === "send") this.fail('"send" is written');
    return this.address(region);
  }

  isLeaving(address: number, count: number): boolean {
    return this.leaving.some(
      (message) => message.address < address + count && address < message.address + message.count,
    );
  }
}

/** Plays the schedules of all ranks; throws where one breaks a rule. */
export class TransportChecker {
  readonly models: readonly RankModel[];
  readonly #symbols: Symbols;
  readonly #ready: RankModel[];
  readonly #early: boolean;
  readonly #order: PlayOrder;
  /** First and last message from each rank to each that has not been received. */
  readonly #first: (Message | undefined)[];
  readonly #last: (Message | undefined)[];
  #rounds = 0;

  constructor(ranks: readonly PlayedRank[], symbols: Symbols, order: PlayOrder) {
    this.models = ranks.map((rank, index) => new RankModel(index, rank));
    this.#symbols = symbols;
    this.#order = order;
    this.#early = order.early ?? false;
    this.#ready = this.models.filter((model) => model.rank !== order.absent);
    this.#first = new Array(ranks.length * ranks.length).fill(undefined);
    this.#last = new Array(ranks.length * ranks.length).fill(undefined);
  }

  /** Plays to the end, which every rank must reach with nothing left over. */
  run(): PlayCost {
    this.play();
    for (const model of this.models) if (model.step !== undefined) model.fail("waits for ever");
    const lost = this.#first.find((message) => message !== undefined);
    if (lost !== undefined) {
      throw new Error(`Rank ${lost.to} does not receive ${lost.count} elements of ${lost.from}`);
    }
    const sentCount = Math.max(...this.models.map((model) => model.sentCount));
    return { rounds: this.#rounds, sentCount };
  }

  /** Plays until no rank can go on. */
  play(): void {
    const { random, fastest } = this.#order;
    while (this.#ready.length > 0) {
      const index = this.#pick();
      const model = this.#ready[index]!;
      const turn = model.rank === fastest ? Infinity : 1 + random.below(TURN_STEPS);
      if (this.#runTurn(model, turn)) continue;
      model.isReady = false;
      this.#ready[index] = this.#ready.at(-1)!;
      this.#ready.pop();
    }
  }

  #pick(): number {
    const { random, fastest, slowest } = this.#order;
    if (fastest !== undefined && this.models[fastest]!.isReady) {
      return this.#ready.indexOf(this.models[fastest]!);
    }
    const index = random.below(this.#ready.length);
    const isLast = this.#ready.length === 1;
    if (this.#ready[index]!.rank !== slowest || isLast) return index;
    return (index + 1) % this.#ready.length;
  }

  /** @returns whether the rank can go on */
  #runTurn(model: RankModel, steps: number): boolean {
    for (let i = 0; i < steps; i++) {
      const step = model.step;
      if (step === undefined || !this.#runStep(model, step)) return false;
      model.next++;
    }
    return true;
  }

  /** @returns false if the step has to wait */
  #runStep(model: RankModel, step: TransportStep): boolean {
    if (step.kind === "copy") return this.#copy(model, step);
    const peer = step.kind === "send" ? step.to : step.from;
    if (this.models[peer] === undefined || peer === model.rank) model.fail("no such peer");
    if (step.kind === "receive") return this.#receive(model, step);
    this.#send(model, step);
    return true;
  }

  #copy(model: RankModel, { from, to }: TransportStep & { kind: "copy" }): boolean {
    const source = model.address(from);
    const target = model.target(to);
    if (from.count !== to.count) model.fail("counts differ");
    if (source === target) return true;
    if (Math.abs(source - target) < to.count) model.fail("copy onto a part of itself");
    if (model.isLeaving(target, to.count)) return false;
    for (let i = 0; i < to.count; i++) {
      model.memory[target + i] = this.#read(model, model.memory[source + i]!);
    }
    return true;
  }

  #read(model: RankModel, symbol: number): number {
    if (symbol === 0) model.fail("reads what nobody has written");
    return symbol;
  }

  #send(model: RankModel, { to, region }: TransportStep & { kind: "send" }): void {
    const address = model.address(region);
    const { count } = region;
    const start = Math.max(model.clock, model.sendFree);
    model.sendFree = start + 1;
    model.sentCount += count;
    const data = this.#early ? model.memory.slice(address, address + count) : undefined;
    const from = model.rank;
    const message: Message = { from, to, address, count, start, data, next: undefined };
    if (!this.#early && (region.buffer !== "send" || model.inPlace)) model.leaving.push(message);
    const queue = to * this.models.length + from;
    const last = this.#last[queue];
    if (last === undefined) this.#first[queue] = message;
    else last.next = message;
    this.#last[queue] = message;
    this.#wake(this.models[to]!);
  }

  #wake(model: RankModel): void {
    if (model.isReady || model.step === undefined) return;
    model.isReady = true;
    this.#ready.push(model);
  }

  #receive(model: RankModel, step: TransportStep & { kind: "receive" }): boolean {
    const target = model.target(step.region);
    const queue = model.rank * this.models.length + step.from;
    const message = this.#first[queue];
    if (message === undefined) return false;
    const { count } = step.region;
    if (message.count !== count) model.fail(`${message.count} elements arrive`);
    if (model.isLeaving(target, count)) return false;
    this.#deliver(model, message, step);
    this.#first[queue] = message.next;
    if (message.next === undefined) this.#last[queue] = undefined;
    const end = Math.max(message.start, model.recvFree) + 1;
    model.recvFree = end;
    model.clock = end;
    this.#rounds = Math.max(this.#rounds, end);
    return true;
  }

  #deliver(model: RankModel, message: Message, step: TransportStep & { kind: "receive" }): void {
    const sender = this.models[message.from]!;
    const target = model.base[step.region.buffer] + step.region.offset;
    const source = message.data ?? sender.memory;
    const first = message.data === undefined ? message.address : 0;
    for (let i = 0; i < message.count; i++) {
      const received = this.#read(model, source[first + i]!);
      const own = model.memory[target + i]!;
      model.memory[target + i] =
        step.combine === undefined ? received : this.#combine(model, received, own, step.combine);
    }
    const index = sender.leaving.indexOf(message);
    if (index < 0) return;
    sender.leaving.splice(index, 1);
    this.#wake(sender);
  }

  #combine(model: RankModel, received: number, own: number, side: "before" | "after"): number {
    this.#read(model, own);
    return side === "before"
      ? this.#symbols.combine(received, own)
      : this.#symbols.combine(own, received);
  }
}
