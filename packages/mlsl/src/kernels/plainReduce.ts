/**
 * Reductions in plain TypeScript: integers as bigints, which are exact, floats as numbers that are
 * rounded after each step. The rules are told in reductions.ts.
 */

import { type DataTypeInfo, type ElementArray, viewOf } from "../memory/dataTypes.js";
import { readIntegers, readNumbers, writeIntegers, writeNumbers } from "./plainMemory.js";
import { type ReductionOperator, reductionExists } from "./reductions.js";
import type { TreeStep } from "./reductionTree.js";

/** A plan, read from memory. */
export interface PlainPlan {
  readonly buffer: ArrayBufferLike;
  readonly type: DataTypeInfo;
  readonly op: ReductionOperator;
  /** What sums are divided by. */
  readonly ranks: number;
  readonly pre: number;
  readonly post: number;
  readonly tree: readonly TreeStep[];
  /** Byte offsets. */
  readonly sources: readonly number[];
  readonly targets: readonly number[];
}

/** Elements that are read before any of them is written: bounds the memory that is needed. */
const PIECE_COUNT = 1024;

function combineTree<V extends number | bigint>(
  tree: readonly TreeStep[],
  values: readonly V[],
  step: Step<V>,
): V {
  const waiting: V[] = [];
  for (const { rank, merges } of tree) {
    let value = values[rank]!;
    for (let m = 0; m < merges; m++) value = step(waiting.pop()!, value);
    waiting.push(value);
  }
  return waiting[0]!;
}

type Step<V> = (a: V, b: V) => V;

function floatStep(op: ReductionOperator): Step<number> {
  switch (op) {
    // Math.min and Math.max return NaN when either side is NaN, and order -0 below +0.
    case "min":
      return Math.min;
    case "max":
      return Math.max;
    case "product":
      return (a, b) => a * b;
    default:
      return (a, b) => a + b;
  }
}

/** Combines one element of every source. Halves are rounded when they are written. */
function combineFloats(plan: PlainPlan, values: readonly number[]): number {
  const { type, op, ranks, tree } = plan;
  const round = type.name === "float64" ? (x: number) => x : Math.fround;
  const step = floatStep(op);
  const rounded = (a: number, b: number): number => round(step(a, b));
  if (op === "average") return round(combineTree(tree, values, rounded) / ranks);
  if (op !== "scaled") return combineTree(tree, values, rounded);
  const pre = round(plan.pre);
  const contributions = values.map((value) => round(value * pre));
  return round(round(combineTree(tree, contributions, rounded) / ranks) * round(plan.post));
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

function integerStep(op: ReductionOperator): Step<bigint> {
  switch (op) {
    case "min":
      return smaller;
    case "max":
      return larger;
    case "product":
      return (a, b) => a * b;
    case "and":
      return (a, b) => a & b;
    case "or":
      return (a, b) => a | b;
    case "xor":
      return (a, b) => a ^ b;
    default:
      return (a, b) => a + b;
  }
}

function divide(op: ReductionOperator, sum: bigint, ranks: bigint): bigint {
  const truncated = sum / ranks;
  if (op === "averageTruncate") return truncated;
  const floor = truncated * ranks > sum ? truncated - 1n : truncated;
  if (op === "averageFloor") return floor;
  const twice = 2n * (sum - floor * ranks);
  return twice > ranks || (twice === ranks && floor % 2n !== 0n) ? floor + 1n : floor;
}

/** Combines one element of every source. */
function combineIntegers(plan: PlainPlan, values: readonly bigint[]): bigint {
  const { type, op, ranks, tree } = plan;
  const total = combineTree(tree, values, integerStep(op));
  const bits = 8 * type.byteLength;
  const signed = type.name.startsWith("int");
  const wrap = (x: bigint) => (signed ? BigInt.asIntN(bits, x) : BigInt.asUintN(bits, x));
  if (op === "saturatingSum") {
    const lowest = signed ? -(2n ** BigInt(bits - 1)) : 0n;
    const highest = wrap(lowest - 1n);
    return larger(lowest, smaller(total, highest));
  }
  return wrap(op.startsWith("average") ? divide(op, total, BigInt(ranks)) : total);
}

function reducePiece(plan: PlainPlan, begin: number, count: number): void {
  const view = (address: number): ElementArray => {
    return viewOf(plan.type.name, plan.buffer, address + begin, count);
  };
  const sources = plan.sources.map(view);
  const targets = plan.targets.map(view);
  const indexes = Array.from({ length: count }, (_, i) => i);
  if (plan.type.family === "int") {
    const inputs = sources.map(readIntegers);
    const pick = (i: number): bigint[] => inputs.map((values) => values[i]!);
    const results = indexes.map((i) => combineIntegers(plan, pick(i)));
    for (const target of targets) writeIntegers(target, results);
  } else {
    const inputs = sources.map(readNumbers);
    const pick = (i: number): number[] => inputs.map((values) => values[i]!);
    const results = indexes.map((i) => combineFloats(plan, pick(i)));
    for (const target of targets) writeNumbers(target, results);
  }
}

/**
 * Combines the bytes [begin, end) of a plan's sources into its targets.
 *
 * @throws {TypeError} If the type and the operator have no reduction.
 */
export function reducePlain(plan: PlainPlan, begin: number, end: number): void {
  const { type, op } = plan;
  if (!reductionExists(type.name, op)) {
    throw new TypeError(`Cannot reduce ${type.name} by ${op}: no kernel`);
  }
  const pieceBytes = PIECE_COUNT * type.byteLength;
  for (let at = begin; at < end; at += pieceBytes) {
    reducePiece(plan, at, Math.min(pieceBytes, end - at) / type.byteLength);
  }
}
