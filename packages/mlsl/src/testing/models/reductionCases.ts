/** Every operator that a type has: the options that name it, and what it comes to by the model. */

import type { ReduceOptions } from "../../collectives/options.js";
import type { OP_CODES } from "../../kernels/kernels.js";
import { reductionExists } from "../../kernels/reductions.js";
import { type DataType, dataTypeInfo } from "../../memory/dataTypes.js";
import type { Random } from "../../simulation/random.js";
import type { Value } from "./groupReduction.js";
import { modelFloats, modelIntegers } from "./reductionModel.js";

/** A way to combine elements of a type. */
export interface ReductionCase {
  readonly name: string;
  readonly options: ReduceOptions;
  readonly expected: (values: readonly Value[]) => Value;
}

type Kernel = keyof typeof OP_CODES;

const OPTIONS: Readonly<Record<Exclude<Kernel, "scaled">, ReduceOptions>> = {
  sum: {},
  average: { op: "average" },
  min: { op: "min" },
  max: { op: "max" },
  product: { op: "product" },
  and: { op: "and" },
  or: { op: "or" },
  xor: { op: "xor" },
  averageFloor: { op: "average", rounding: "floor" },
  averageTruncate: { op: "average", rounding: "truncate" },
  averageNearest: { op: "average", rounding: "nearest" },
  saturatingSum: { op: "sum", overflow: "saturate" },
};

function modelOf(
  type: DataType,
  op: Kernel,
  factors: { pre: number; post: number; ranks: number },
) {
  return (values: readonly Value[]): Value => {
    const reduction = { type, op, ...factors };
    return dataTypeInfo(type).family === "int"
      ? modelIntegers(reduction, values.map(BigInt))
      : modelFloats(reduction, values.map(Number));
  };
}

/** The built-in operators of the type that is combined, with random factors where it takes them. */
export function reductionCases(type: DataType, ranks: number, random: Random): ReductionCase[] {
  const plain = Object.entries(OPTIONS) as [keyof typeof OPTIONS, ReduceOptions][];
  const cases = plain
    .filter(([op]) => reductionExists(type, op))
    .map(([op, options]) => {
      return { name: op, options, expected: modelOf(type, op, { pre: 1, post: 1, ranks }) };
    });
  if (!reductionExists(type, "scaled")) return cases;
  const scaled = (["sum", "average"] as const).map((op) => {
    const [pre, post] = [random.next() * 4 - 2, random.next()];
    // The model divides scaled sums by the ranks.
    const expected = modelOf(type, "scaled", { pre, post, ranks: op === "sum" ? 1 : ranks });
    return { name: `scaled ${op}`, options: { op, preScale: pre, postScale: post }, expected };
  });
  return [...cases, ...scaled];
}
