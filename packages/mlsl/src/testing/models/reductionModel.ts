/**
 * What a reduction is, by definition, for one element: integers with no limit of size, floats rounded
 * after each step of the tree. Written apart from the kernels and in other formulas.
 */

import type { OP_CODES } from "../../kernels/kernels.js";
import { type DataType, dataTypeInfo } from "../../memory/dataTypes.js";
import { roundToHalf } from "./halfModel.js";

/** A reduction of one element of every source. */
export interface ModelReduction {
  readonly type: DataType;
  readonly op: keyof typeof OP_CODES;
  readonly ranks: number;
  readonly pre: number;
  readonly post: number;
}

function combineTree<V>(part: readonly V[], step: (a: V, b: V) => V): V {
  if (part.length === 1) return part[0] as V;
  const even = part.filter((_, i) => i % 2 === 0);
  const odd = part.filter((_, i) => i % 2 === 1);
  return step(combineTree(even, step), combineTree(odd, step));
}

/** The result for floats. */
export function modelFloats(reduction: ModelReduction, values: readonly number[]): number {
  const { type, op, ranks, pre, post } = reduction;
  const round = type === "float64" ? (x: number) => x : Math.fround;
  const steps: Partial<Record<ModelReduction["op"], (a: number, b: number) => number>> = {
    min: (a, b) => Math.min(a, b),
    max: (a, b) => Math.max(a, b),
    product: (a, b) => round(a * b),
  };
  const scaled = op === "scaled" ? values.map((x) => round(x * round(pre))) : values;
  let result = combineTree(scaled, steps[op] ?? ((a, b) => round(a + b)));
  if (op === "average" || op === "scaled") result = round(result / ranks);
  if (op === "scaled") result = round(result * round(post));
  return type === "float16" || type === "bfloat16" ? roundToHalf(type, result) : result;
}

function rangeOf(type: DataType): { lowest: bigint; highest: bigint } {
  const size = 256n ** BigInt(dataTypeInfo(type).byteLength);
  const lowest = type.startsWith("u") ? 0n : -size / 2n;
  return { lowest, highest: lowest + size - 1n };
}

/** The number of the range that differs by a multiple of its size. */
function wrap(type: DataType, value: bigint): bigint {
  const { lowest, highest } = rangeOf(type);
  const size = highest - lowest + 1n;
  return lowest + ((((value - lowest) % size) + size) % size);
}

function floorDivide(a: bigint, b: bigint): bigint {
  return (a - (((a % b) + b) % b)) / b;
}

function exactMean(op: string, sum: bigint, n: bigint): bigint {
  if (op === "averageFloor") return floorDivide(sum, n);
  if (op === "averageTruncate") return sum < 0n ? -(-sum / n) : sum / n;
  // The nearest, half way up; where that was half way, the even one of the two.
  const nearest = floorDivide(2n * sum + n, 2n * n);
  const halfWay = 2n * sum === (2n * nearest - 1n) * n;
  return halfWay && nearest % 2n !== 0n ? nearest - 1n : nearest;
}

function sorted(values: readonly bigint[]): bigint[] {
  return values.toSorted((a, b) => (a < b ? -1 : 1));
}

/** The result for integers. */
export function modelIntegers(reduction: ModelReduction, values: readonly bigint[]): bigint {
  const { type, op } = reduction;
  const sum = values.reduce((a, b) => a + b);
  const { lowest, highest } = rangeOf(type);
  switch (op) {
    case "product":
      return wrap(
        type,
        values.reduce((a, b) => a * b),
      );
    case "min":
      return sorted(values)[0]!;
    case "max":
      return sorted(values).at(-1)!;
    case "and":
      return values.reduce((a, b) => a & b);
    case "or":
      return values.reduce((a, b) => a | b);
    case "xor":
      return values.reduce((a, b) => a ^ b);
    case "saturatingSum":
      return sorted([lowest, sum, highest])[1]!;
    case "sum":
      return wrap(type, sum);
    default:
      return wrap(type, exactMean(op, sum, BigInt(reduction.ranks)));
  }
}
