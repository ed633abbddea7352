/**
 * Which types can be combined by which operators, and by what rules.
 *
 * - `sum`, `product`: floats round after each step of the tree; integers wrap modulo 2^bits.
 * - `min`, `max`: NaN if any input is NaN; −0 is less than +0.
 * - `and`, `or`, `xor`: bit by bit, integers only.
 * - `average`: the sum, divided once by the ranks; floats only.
 * - `scaled`: each contribution times `pre`, their sum, divided by the ranks, times `post`; floats
 *   only. The factors are rounded to the type that sums are made in, and each step rounds.
 * - `averageFloor`, `averageTruncate`, `averageNearest`: the exact mean of integers, rounded once: down,
 *   towards zero, or to the nearest, ties to even. No sum overflows on the way, whatever the width. It
 *   is divided by the ranks, which must be the number of sources or more: else it may be out of range.
 * - `saturatingSum`: the exact sum of integers, or the limit of the type that it exceeds; it is
 *   limited once, at the end, so the order does not matter.
 *
 * float16 and bfloat16 are combined in float32, waiting values too, and rounded once at the end,
 * ties to even; a NaN among them is always written as the same bits.
 */

import { type DataType, dataTypeInfo } from "../memory/dataTypes.js";
import type { OP_CODES } from "./kernels.js";

/** Name of an operator of reductions. */
export type ReductionOperator = keyof typeof OP_CODES;

/** The families of types that an operator combines. */
const FAMILIES: Readonly<Record<ReductionOperator, "int" | "float" | "any">> = {
  sum: "any",
  product: "any",
  min: "any",
  max: "any",
  and: "int",
  or: "int",
  xor: "int",
  average: "float",
  scaled: "float",
  averageFloor: "int",
  averageTruncate: "int",
  averageNearest: "int",
  saturatingSum: "int",
};

/**
 * Whether elements of a type can be combined by an operator.
 *
 * @throws {TypeError} If there is no such type.
 */
export function reductionExists(type: DataType, op: ReductionOperator): boolean {
  const family = FAMILIES[op];
  return family === "any" || family === dataTypeInfo(type).family;
}
