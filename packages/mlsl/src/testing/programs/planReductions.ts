/** Random reductions, with results by the model. */

import { defineOperator, type UserOperator } from "../../collectives/operations/operators.js";
import type { ReduceOptions } from "../../collectives/options.js";
import { type DataType, dataTypeInfo, dataTypeOf } from "../../memory/dataTypes.js";
import type { Random } from "../../simulation/random.js";
import { type ModelReduction, modelFloats, modelIntegers } from "../models/reductionModel.js";
import type { Plan, Value } from "./plan.js";
import { anyCount, anyTables, anyType, PERIOD, repeated } from "./values.js";

/** The last that is not zero: associative, but not commutative. */
const lastOfAll: UserOperator = defineOperator("lastOfAll", (accumulated, values) => {
  if (dataTypeOf(values) !== dataTypeOf(accumulated)) throw new TypeError("types differ");
  const elements = Array.from<number | bigint>(accumulated as Iterable<number | bigint>);
  [...(values as Iterable<number | bigint>)].forEach((value, i) => {
    if (Number(value) !== 0) elements[i] = value;
  });
  (accumulated as Float64Array).set(elements as number[]);
});

interface Operator {
  readonly options: ReduceOptions;
  readonly model: Partial<ModelReduction> | "last";
}

const ANY: readonly Operator[] = [
  { options: {}, model: { op: "sum" } },
  { options: { op: "min" }, model: { op: "min" } },
  { options: { op: "max" }, model: { op: "max" } },
  { options: { op: "product" }, model: { op: "product" } },
  { options: { op: lastOfAll }, model: "last" },
];
const INTEGERS: readonly Operator[] = [
  ...ANY,
  { options: { op: "and" }, model: { op: "and" } },
  { options: { op: "or" }, model: { op: "or" } },
  { options: { op: "xor" }, model: { op: "xor" } },
  { options: { overflow: "saturate" }, model: { op: "saturatingSum" } },
  { options: { op: "average", rounding: "floor" }, model: { op: "averageFloor" } },
  { options: { op: "average", rounding: "truncate" }, model: { op: "averageTruncate" } },
  { options: { op: "average", rounding: "nearest" }, model: { op: "averageNearest" } },
];
const FLOATS: readonly Operator[] = [
  ...ANY,
  { options: { op: "average" }, model: { op: "average" } },
  {
    options: { preScale: 0.5, postScale: 4 },
    model: { op: "scaled", pre: 0.5, post: 4, ranks: 1 },
  },
  { options: { op: "average", preScale: 2 }, model: { op: "scaled", pre: 2, post: 1 } },
];

const WIDER: Partial<Record<DataType, DataType>> = {
  int8: "int32",
  uint8: "uint32",
  uint16: "int32",
  float16: "float32",
  bfloat16: "float64",
};

function combine(type: DataType, operator: Operator, values: readonly Value[]): Value {
  if (operator.model === "last") {
    return values.findLast((value) => Number(value) !== 0) ?? values[0]!;
  }
  const base = { type, op: "sum", ranks: values.length, pre: 1, post: 1 } as const;
  const reduction: ModelReduction = { ...base, ...operator.model };
  return dataTypeInfo(type).family === "int"
    ? modelIntegers(reduction, values as bigint[])
    : modelFloats(reduction, values as number[]);
}

interface Reduction {
  readonly sendType: DataType;
  readonly type: DataType;
  readonly options: ReduceOptions;
  readonly tables: Value[][];
  /** The combined elements. */
  readonly result: Value[];
}

function anyReduction(ranks: number, random: Random): Reduction {
  const sendType = anyType(random);
  const wider = random.below(5) === 0 ? WIDER[sendType] : undefined;
  const type = wider ?? sendType;
  const operator = random.pick(dataTypeInfo(type).family === "int" ? INTEGERS : FLOATS);
  const tables = anyTables(sendType, ranks, random);
  const result = Array.from({ length: PERIOD }, (_, i) =>
    combine(
      type,
      operator,
      tables.map((table) => table[i]!),
    ),
  );
  const options = wider === undefined ? operator.options : { ...operator.options, widen: true };
  return { sendType, type, options, tables, result };
}

/** An all-reduce, or a reduction to one rank. */
export function planReduce(ranks: number, random: Random): Plan {
  const { sendType, type, options, tables, result } = anyReduction(ranks, random);
  const count = anyCount(type, random);
  const root = random.below(2) === 0 ? undefined : random.below(ranks);
  const parts = tables.map((table, rank) => {
    const send = repeated(sendType, count, table);
    const inPlace = sendType === type && random.below(3) === 0;
    const recv = repeated(type, count, result);
    if (root === undefined) return { kind: "allreduce" as const, send, recv, inPlace, options };
    // Elsewhere it is ignored, unless its type is needed.
    const isRoot = rank === root;
    const ignored = options.widen === true ? repeated(type, 0, result) : undefined;
    return {
      kind: "reduce" as const,
      send,
      recv: isRoot ? recv : ignored,
      inPlace: inPlace && isRoot,
      options: { ...options, root },
    };
  });
  return { parts };
}

/** A reduction whose result is divided. */
export function planReduceScatter(ranks: number, random: Random): Plan {
  const { sendType, type, options, tables, result } = anyReduction(ranks, random);
  const varies = random.below(2) === 0;
  const block = Math.ceil(anyCount(type, random) / ranks);
  const counts = tables.map(() => (varies ? random.below(2 * block + 1) : block));
  const total = counts.reduce((sum, count) => sum + count, 0);
  let next = 0;
  const parts = tables.map((table, rank) => {
    const first = next;
    next += counts[rank]!;
    return {
      kind: varies ? ("reduceScatterv" as const) : ("reduceScatter" as const),
      send: repeated(sendType, total, table),
      recv: repeated(type, counts[rank]!, result, first),
      options: varies ? { ...options, counts } : options,
    };
  });
  return { parts };
}
