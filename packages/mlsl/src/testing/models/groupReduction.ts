/** Runs one reduction on all ranks of a job and holds everything that it may have touched to account. */

import assert from "node:assert/strict";
import type { LocalGroup } from "../../collectives/groups/localGroup.js";
import type { ReduceOptions } from "../../collectives/options.js";
import type { Request } from "../../collectives/requests/requests.js";
import {
  readIntegers,
  readNumbers,
  writeIntegers,
  writeNumbers,
} from "../../kernels/plainMemory.js";
import { type DataType, dataTypeInfo, dataTypeOf, viewOf } from "../../memory/dataTypes.js";
import type { Random } from "../../simulation/random.js";
import { assertBytes, bytesOf, GuardedArray, partOf } from "../guardedArray.js";
import { completeAll } from "../localJob.js";

/** After this many elements inputs repeat: a prime, so that no chunk begins like another. */
const PERIOD = 31;

/** The operations that combine contributions. */
export const REDUCTIONS = ["allreduce", "reduce", "reduceScatter", "reduceScatterv"] as const;

/** An element. */
export type Value = number | bigint;

/** How inputs are made: any bits, small whole numbers, or what is special of the type. */
export type Inputs = "bits" | "small" | "special";

/** A reduction of a group. */
export interface GroupReduction {
  readonly kind: (typeof REDUCTIONS)[number];
  /** Of send. */
  readonly type: DataType;
  /** Of recv. */
  readonly into: DataType;
  /** Elements of each rank's block of the result; all the same unless the kind is reduceScatterv. */
  readonly counts: readonly number[];
  readonly root: number;
  /** Taken as apart where the types differ. */
  readonly inPlace: boolean;
  readonly inputs: Inputs;
  readonly options: ReduceOptions;
  /** What comes of the ranks' values of an element. */
  readonly expected: (values: readonly Value[]) => Value;
  readonly what: string;
}

const SPECIAL_FLOATS = [0, -0, 1, -1, 0.1, NaN, Infinity, -Infinity, 65504, 6e-8, 3e38, 1e-40];

function specialInteger(byteLength: number, random: Random): bigint {
  const top = 2n ** BigInt(8 * byteLength - 1);
  return BigInt(random.below(5) - 2) + (random.below(2) === 0 ? top : 0n);
}

/** The elements that a rank's send repeats. */
function newInputs(type: DataType, inputs: Inputs, random: Random) {
  const { byteLength, family } = dataTypeInfo(type);
  const view = viewOf(type, new ArrayBuffer(PERIOD * byteLength), 0, PERIOD);
  const each = <V>(next: () => V): V[] => Array.from({ length: PERIOD }, next);
  if (inputs === "bits") bytesOf(view).set(Array.from(bytesOf(view), () => random.below(256)));
  else if (family === "float") {
    const small = inputs === "small";
    writeNumbers(
      view,
      each(() => (small ? random.below(30) - 15 : random.pick(SPECIAL_FLOATS))),
    );
  } else {
    const small = inputs === "small";
    writeIntegers(
      view,
      each(() => (small ? BigInt(random.below(30)) : specialInteger(byteLength, random))),
    );
  }
  const values: Value[] = family === "int" ? readIntegers(view) : readNumbers(view);
  return { bytes: bytesOf(view), values };
}

/** Repeats bytes until a length. */
function tiled(bytes: Uint8Array, byteLength: number): Uint8Array {
  const whole = new Uint8Array(byteLength);
  for (let at = 0; at < byteLength; at += bytes.length) {
    whole.set(bytes.subarray(0, Math.min(bytes.length, byteLength - at)), at);
  }
  return whole;
}

/** The block of the result that a rank gets, in elements; undefined if it gets none. */
function blockOf({ kind, counts, root }: GroupReduction, rank: number) {
  if (kind === "allreduce" || (kind === "reduce" && rank === root)) {
    return { begin: 0, count: counts[0]! };
  }
  if (kind === "reduce") return undefined;
  const begin = counts.slice(0, rank).reduce((a, b) => a + b, 0);
  return { begin, count: counts[rank]! };
}

function wholeCount({ kind, counts }: GroupReduction): number {
  const isWhole = kind === "allreduce" || kind === "reduce";
  return isWhole ? counts[0]! : counts.reduce((a, b) => a + b, 0);
}

function start(
  group: LocalGroup,
  reduction: GroupReduction,
  { send, recv }: { send: GuardedArray["array"]; recv: GuardedArray["array"] | undefined },
): Request {
  const { kind, counts, root, type, into } = reduction;
  const options = { ...reduction.options, ...(type === into ? {} : { widen: true as const }) };
  if (kind === "allreduce") return group.allreduceStart(send, recv!, options);
  if (kind === "reduce") return group.reduceStart(send, recv, { ...options, root });
  if (kind === "reduceScatter") return group.reduceScatterStart(send, recv!, options);
  return group.reduceScattervStart(send, recv!, { ...options, counts });
}

function buffersOf(reduction: GroupReduction, group: LocalGroup, random: Random) {
  const { type, into, inPlace } = reduction;
  const make = (one: DataType, count: number) =>
    GuardedArray.make(group, random, { type: one, count });
  const send = make(type, wholeCount(reduction));
  const block = blockOf(reduction, group.rank);
  // With another type, ranks that get nothing must still tell it.
  if (block === undefined) {
    const told = type === into ? undefined : make(into, 0);
    return { send, apart: told, recv: told?.array, block };
  }
  if (inPlace && type === into) {
    const recv = partOf(send.array, block.begin, block.count);
    return { send, apart: undefined, recv, block };
  }
  const apart = make(into, block.count);
  return { send, apart, recv: apart.array, block };
}

/** Checks a block against the elements that the result repeats. */
function checkBlock(
  recv: GuardedArray["array"],
  begin: number,
  { result, what }: { result: readonly Value[]; what: string },
): void {
  const { name, byteLength } = dataTypeOf(recv);
  // The bits of a NaN are free, so elements with one are compared as numbers.
  if (result.some(Number.isNaN)) {
    readNumbers(recv).forEach((value, i) => {
      const expected = result[(begin + i) % PERIOD];
      if (!Object.is(value, expected)) {
        assert.fail(`${what}: element ${i} is ${value}, expected ${expected}`);
      }
    });
    return;
  }
  const view = viewOf(name, new ArrayBuffer(PERIOD * byteLength), 0, PERIOD);
  if (typeof result[0] === "bigint") writeIntegers(view, result as bigint[]);
  else writeNumbers(view, result as number[]);
  const first = (begin % PERIOD) * byteLength;
  const whole = tiled(bytesOf(view), first + recv.byteLength);
  assertBytes(bytesOf(recv), whole.subarray(first), what);
}

/** Starts a reduction on all ranks, completes it in random order, and checks all bytes. */
export function runGroupReduction(
  world: readonly LocalGroup[],
  reduction: GroupReduction,
  random: Random,
): void {
  const { type, inputs, what } = reduction;
  const given = world.map(() => newInputs(type, inputs, random));
  const result = Array.from({ length: PERIOD }, (_, i) =>
    reduction.expected(given.map(({ values }) => values[i]!)),
  );
  const buffers = world.map((group) => buffersOf(reduction, group, random));
  const sends = buffers.map(({ send }, r) => tiled(given[r]!.bytes, send.array.byteLength));
  buffers.forEach(({ send }, r) => void bytesOf(send.array).set(sends[r]!));
  completeAll(
    world.map((group, r) =>
      start(group, reduction, { ...buffers[r]!, send: buffers[r]!.send.array }),
    ),
    random,
  );
  const bits = reduction.kind === "allreduce" ? bytesOf(buffers[0]!.recv!).slice() : undefined;
  buffers.forEach(({ send, apart, recv, block }, rank) => {
    const text = `${what}, rank ${rank}`;
    if (block !== undefined) checkBlock(recv!, block.begin, { result, what: text });
    if (bits !== undefined) assertBytes(bytesOf(recv!), bits, `${text}, other bits than rank 0`);
    const kept = sends[rank]!;
    // In place, the block of the result has replaced its part of send.
    if (block !== undefined && apart === undefined) {
      kept.set(bytesOf(recv!), block.begin * dataTypeInfo(type).byteLength);
    }
    assertBytes(bytesOf(send.array), kept, `${text}, send`);
    send.release(text);
    apart?.release(text);
  });
}
