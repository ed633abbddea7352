/** Runs one reduction on kernels and holds every byte that it could have touched against the model. */

import assert from "node:assert/strict";
import { PLAN, TURN } from "../../kernels/exchangeLayout.js";
import { type Kernels, OP_CODES } from "../../kernels/kernels.js";
import {
  readIntegers,
  readNumbers,
  writeIntegers,
  writeNumbers,
} from "../../kernels/plainMemory.js";
import { reductionTree } from "../../kernels/reductionTree.js";
import { dataTypeInfo, dataTypeOf, type ElementArray, viewOf } from "../../memory/dataTypes.js";
import type { Random } from "../../simulation/random.js";
import { type ModelReduction, modelFloats, modelIntegers } from "./reductionModel.js";

/** Where plan, tree and buffers of a test lie: well above a segment's header and tables. */
const PLAN_AT = 1048576;
const TREE_AT = PLAN_AT + 4096;
const DATA_AT = PLAN_AT + 65536;
/** Bytes around each buffer that must not change. */
const GUARD = 64;

/** A reduction of arrays. */
export interface ReductionRun extends ModelReduction {
  readonly sources: number;
  readonly targets: number;
  /** Whether the first targets are sources. */
  readonly inPlace: boolean;
  /** Elements of a buffer. */
  readonly count: number;
  /** The elements [begin, end) are reduced, in two calls that part at `middle`. */
  readonly begin: number;
  readonly middle: number;
  readonly end: number;
}

/** How inputs are made: any bits, small whole numbers, or what is special of the type. */
export type Inputs = "bits" | "small" | "special";

const SPECIAL_FLOATS = [0, -0, 1, -1, 0.1, NaN, Infinity, -Infinity, 65504, 6e-8, 3e38, 1e-40];

/** What is special of integers: around 0 and where the sign changes; both wrap into the type. */
function specialInteger(byteLength: number, random: Random): bigint {
  const top = 2n ** BigInt(8 * byteLength - 1);
  return BigInt(random.below(5) - 2) + (random.below(2) === 0 ? top : 0n);
}

/** Fills a buffer and its guards. */
function fillBuffer(view: ElementArray, random: Random, inputs: Inputs): void {
  const bytes = new Uint8Array(view.buffer, view.byteOffset - GUARD, view.byteLength + 2 * GUARD);
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.below(256);
  if (inputs === "bits") return;
  const small = inputs === "small";
  const { family, byteLength } = dataTypeOf(view);
  if (family === "float") {
    const next = () => (small ? random.below(30) : random.pick(SPECIAL_FLOATS));
    writeNumbers(view, Array.from({ length: view.length }, next));
  } else {
    const next = () => (small ? BigInt(random.below(30)) : specialInteger(byteLength, random));
    writeIntegers(view, Array.from({ length: view.length }, next));
  }
}

function writePlan(words: Int32Array, run: ReductionRun, at: readonly number[]): void {
  const first = PLAN_AT / 4;
  words[first + PLAN.code] = dataTypeInfo(run.type).code * 256 + OP_CODES[run.op];
  words[first + PLAN.sourceCount] = run.sources;
  words[first + PLAN.targetCount] = run.targets;
  words[first + PLAN.ranks] = run.ranks;
  words[first + PLAN.tree] = TREE_AT;
  new Float64Array(words.buffer, PLAN_AT + 4 * PLAN.pre, 2).set([run.pre, run.post]);
  for (const [i, { rank, merges }] of reductionTree(run.sources).entries()) {
    words[TREE_AT / 4 + TURN.words * i + TURN.rank] = rank;
    words[TREE_AT / 4 + TURN.words * i + TURN.merges] = merges;
  }
  words.set(at, first + PLAN.addresses);
}

/** Elements as numbers that can be compared. */
function elementsOf(view: ElementArray): (number | bigint)[] {
  return dataTypeOf(view).family === "int" ? readIntegers(view) : readNumbers(view);
}

function expectedOf(run: ReductionRun, values: (number | bigint)[]): number | bigint {
  return typeof values[0] === "bigint"
    ? modelIntegers(run, values as bigint[])
    : modelFloats(run, values as number[]);
}

function checkTarget(run: ReductionRun, actual: ElementArray, expected: (number | bigint)[]): void {
  const elements = elementsOf(actual);
  for (let i = 0; i < expected.length; i++) {
    if (!Object.is(elements[i], expected[i])) {
      assert.fail(
        `${JSON.stringify(run)}: element ${run.begin + i} is ${elements[i]}, not ${expected[i]}`,
      );
    }
  }
}

/** Runs a reduction and checks all targets, sources that are none, and the guards. */
export function runReduction(
  kernels: Kernels,
  memory: WebAssembly.Memory,
  { run, random, inputs }: { run: ReductionRun; random: Random; inputs: Inputs },
): void {
  const { buffer } = memory;
  const { byteLength } = dataTypeInfo(run.type);
  const stride = Math.ceil((run.count * byteLength + 3 * GUARD) / 64) * 64;
  const buffers = run.sources + run.targets;
  const at = Array.from({ length: buffers }, (_, i) => {
    const shift = (random.below(64 / byteLength) * byteLength) % 64;
    return DATA_AT + i * stride + GUARD + shift;
  });
  const targetAt = Array.from({ length: run.targets }, (_, t) => {
    return at[run.inPlace && t < run.sources ? t : run.sources + t]!;
  });
  const views = at.map((place) => viewOf(run.type, buffer, place, run.count));
  for (const view of views) fillBuffer(view, random, inputs);
  const inputsOf = views.slice(0, run.sources).map(elementsOf);
  const area = new Uint8Array(buffer, DATA_AT, buffers * stride);
  const before = Buffer.from(area);
  writePlan(new Int32Array(buffer), run, [...at.slice(0, run.sources), ...targetAt]);
  kernels.reduce(PLAN_AT, run.begin * byteLength, run.middle * byteLength);
  kernels.reduce(PLAN_AT, run.middle * byteLength, run.end * byteLength);
  const expected = Array.from({ length: run.end - run.begin }, (_, i) => {
    return expectedOf(
      run,
      inputsOf.map((values) => values[run.begin + i]!),
    );
  });
  for (const place of new Set(targetAt)) {
    const from = place + run.begin * byteLength;
    checkTarget(run, viewOf(run.type, buffer, from, expected.length), expected);
    // What was checked is taken out of the comparison of all other bytes.
    const bytes = area.subarray(from - DATA_AT, from - DATA_AT + expected.length * byteLength);
    before.set(bytes, from - DATA_AT);
  }
  assert.equal(before.compare(area), 0, `${JSON.stringify(run)}: other bytes have changed`);
}

/** The result for one element of every source. */
export function reduceValues(
  kernels: Kernels,
  memory: WebAssembly.Memory,
  reduction: ModelReduction,
  values: readonly (number | bigint)[],
): number | bigint {
  const sources = values.length;
  const one = { sources, targets: 1, inPlace: false, count: 1, begin: 0, middle: 0, end: 1 };
  const at = Array.from({ length: sources + 1 }, (_, i) => DATA_AT + 8 * i);
  const views = at.map((place) => viewOf(reduction.type, memory.buffer, place, 1));
  for (const [i, value] of values.entries()) {
    if (typeof value === "bigint") writeIntegers(views[i]!, [value]);
    else writeNumbers(views[i]!, [value]);
  }
  writePlan(new Int32Array(memory.buffer), { ...reduction, ...one }, at);
  kernels.reduce(PLAN_AT, 0, dataTypeInfo(reduction.type).byteLength);
  return elementsOf(views[sources]!)[0]!;
}

/** Whether kernels reduce elements of a code: nothing is reduced, only asked. */
export function acceptsCode(kernels: Kernels, memory: WebAssembly.Memory, code: number): boolean {
  const words = new Int32Array(memory.buffer);
  words[PLAN_AT / 4 + PLAN.code] = code;
  words[PLAN_AT / 4 + PLAN.sourceCount] = 1;
  words[PLAN_AT / 4 + PLAN.targetCount] = 1;
  words[PLAN_AT / 4 + PLAN.ranks] = 1;
  words[PLAN_AT / 4 + PLAN.tree] = TREE_AT;
  words.set([DATA_AT, DATA_AT], PLAN_AT / 4 + PLAN.addresses);
  try {
    kernels.reduce(PLAN_AT, 0, 0);
    return true;
  } catch (error) {
    assert.match(String(error), /TypeError: Cannot|RuntimeError: unreachable/);
    return false;
  }
}
