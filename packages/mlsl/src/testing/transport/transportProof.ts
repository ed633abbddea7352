/** Proves that an algorithm's schedules do what their collective means, for one size at a time. */

import type { Algorithm } from "../../schedules/transport/registry.js";
import type { ShapeOf, TransportKind } from "../../schedules/transport/shapes.js";
import type { TransportSchedule } from "../../schedules/transport/steps.js";
import {
  CASES,
  type CaseRank,
  type CaseSize,
  type Expected,
} from "../../simulation/programs/collectiveCases.js";
import { Random } from "../../simulation/random.js";
import { Symbols } from "./symbols.js";
import {
  type PlayCost,
  type PlayOrder,
  type RankModel,
  TransportChecker,
} from "./transportChecker.js";

/** Changes the schedules of all ranks: how a test breaks them. */
export type Mutation = (schedules: TransportSchedule[]) => TransportSchedule[];

/** What is proved. */
export interface Proof<K extends TransportKind> {
  readonly kind: K;
  readonly algorithm: Pick<Algorithm<ShapeOf[K]>, "name" | "keepsOrder" | "build">;
  readonly size: CaseSize;
  readonly mutate?: Mutation;
}

/** The parts of all ranks with what they have in common. */
interface Setting {
  readonly kind: TransportKind;
  readonly root: number;
  readonly parts: readonly CaseRank<TransportKind>[];
  readonly schedules: readonly TransportSchedule[];
  readonly symbols: Symbols;
  readonly keepsOrder: boolean;
}

/** Gives every rank its input: in "send", or what a broadcast finds in the root's "recv". */
function fill({ kind, root, symbols }: Setting, model: RankModel): void {
  const { memory, base, length, rank } = model;
  for (let i = 0; i < length.send; i++) memory[base.send + i] = symbols.input(rank, i);
  if (kind === "barrier") memory.fill(symbols.input(rank, 0), base.scratch);
  if (kind !== "broadcast" || rank !== root) return;
  for (let i = 0; i < length.recv; i++) memory[base.recv + i] = symbols.input(rank, i);
}

function isExpected(setting: Setting, expected: Expected, symbol: number): boolean {
  const { symbols, keepsOrder } = setting;
  if (expected.kind === "untouched") return symbol === 0;
  if (expected.kind === "input") return symbol === symbols.input(expected.rank, expected.index);
  return symbols.isReduction(symbol, expected.index, keepsOrder);
}

/** Checks "recv", and that "send" is as before but where "recv" lies inside of it. */
function checkMemory(setting: Setting, model: RankModel, reductions: Map<number, number>): void {
  const { memory, base, length, rank } = model;
  const { symbols, parts } = setting;
  for (let i = 0; i < length.recv; i++) {
    const symbol = memory[base.recv + i]!;
    const expected = parts[rank]!.expected(i);
    const isReduction = expected.kind === "reduction";
    // The same symbol is the same bits: one that has been checked at another rank is right.
    if (isReduction && reductions.get(expected.index) === symbol) continue;
    if (isReduction && reductions.has(expected.index)) {
      throw new Error(`Rank ${rank} has other bits than another in element ${i}`);
    }
    if (!isExpected(setting, expected, symbol)) {
      const text = `${JSON.stringify(expected)}, got ${symbols.text(symbol)}`;
      throw new Error(`Rank ${rank} is wrong in element ${i}: expected ${text}`);
    }
    if (isReduction) reductions.set(expected.index, symbol);
  }
  for (let i = 0; i < length.send; i++) {
    const address = base.send + i;
    const inRecv = address >= base.recv && address < base.recv + length.recv;
    if (!inRecv && memory[address] !== symbols.input(rank, i)) {
      throw new Error(`Rank ${rank} has changed element ${i} of "send"`);
    }
  }
}

function checkerOf(setting: Setting, inPlace: boolean, order: PlayOrder): TransportChecker {
  const ranks = setting.parts.map((part, rank) => ({
    schedule: setting.schedules[rank]!,
    sendCount: part.sendCount,
    recvCount: part.recvCount,
    inPlace: inPlace ? part.inPlace : undefined,
  }));
  const checker = new TransportChecker(ranks, setting.symbols, order);
  for (const model of checker.models) fill(setting, model);
  return checker;
}

function play(setting: Setting, inPlace: boolean, order: PlayOrder): PlayCost {
  const checker = checkerOf(setting, inPlace, order);
  const cost = checker.run();
  const reductions = new Map<number, number>();
  for (const model of checker.models) checkMemory(setting, model, reductions);
  return cost;
}

/** Without any one rank, no other leaves the barrier. */
function checkBarrier(setting: Setting, random: Random): void {
  setting.parts.forEach((_, absent) => {
    const checker = checkerOf(setting, false, { random, absent });
    checker.play();
    for (const { rank, step } of checker.models) {
      if (rank === absent || step !== undefined) continue;
      throw new Error(`Rank ${rank} leaves the barrier before rank ${absent} has come`);
    }
  });
}

function settingOf<K extends TransportKind>({ kind, algorithm, size, mutate }: Proof<K>): Setting {
  const parts = Array.from({ length: size.ranks }, (_, rank) => CASES[kind](rank, size));
  const built = parts.map(({ shape }) => algorithm.build(shape));
  const stride = Math.max(1, ...parts.map((part) => Math.max(part.sendCount, part.recvCount)));
  return {
    kind,
    root: size.root,
    parts: parts as readonly CaseRank<TransportKind>[],
    schedules: mutate === undefined ? built : mutate(built),
    symbols: new Symbols(size.ranks, stride),
    keepsOrder: algorithm.keepsOrder,
  };
}

/** Up to this early delivery is played too: it allows all that late delivery does. */
const EARLY_RANKS = 17;

function playAll(setting: Setting, random: Random): PlayCost {
  const ranks = setting.parts.length;
  const order = () => ({ random, fastest: random.below(ranks), slowest: random.below(ranks) });
  const cost = play(setting, false, order());
  if (setting.parts.some(({ inPlace }) => inPlace !== undefined)) play(setting, true, order());
  if (ranks <= EARLY_RANKS) play(setting, false, { random, early: true });
  if (setting.kind === "barrier") checkBarrier(setting, random);
  return cost;
}

/**
 * Plays an algorithm for one size with buffers apart and, where it is offered, in place; with a
 * fast and a slow rank chosen by the seed, and otherwise at random.
 *
 * @returns what it costs
 * @throws {Error} if anything is wrong; its message has all that is needed to play it again
 */
export function prove<K extends TransportKind>(proof: Proof<K>, seed: number): PlayCost {
  const { kind, algorithm, size } = proof;
  try {
    return playAll(settingOf(proof), new Random(seed));
  } catch (error) {
    const { ranks, root, count } = size;
    const where = `${kind} ${algorithm.name}, ${ranks} ranks, root ${root}, count ${count}`;
    throw new Error(`${where}, seed ${seed}: ${(error as Error).message}`, { cause: error });
  }
}

/** As `prove`, with buffers apart and in one order only: for what takes long. */
export function proveOnce<K extends TransportKind>(proof: Proof<K>): PlayCost {
  return play(settingOf(proof), false, { random: new Random(1) });
}
