/** From what was asked to the list of what is measured, before any rank starts. */

import { algorithmsOf } from "../collectives/operations/algorithms.js";
import type { ReduceOp } from "../collectives/options.js";
import { reductionExists } from "../kernels/reductions.js";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { type DataType, dataTypeInfo } from "../memory/dataTypes.js";
import { type BenchOp, factsOf } from "./ops.js";
import { bytesHeld, shapeFor } from "./shape.js";

/** Name of a built-in operator. */
export type BuiltInOperator = ReduceOp;

/** All built-in operators. */
export const OPERATORS: readonly BuiltInOperator[] = [
  "sum",
  "average",
  "min",
  "max",
  "product",
  "and",
  "or",
  "xor",
];

/** What was asked; plain data, as every rank gets it on its command line. */
export interface BenchTask {
  readonly ops: readonly BenchOp[];
  readonly types: readonly DataType[];
  readonly operators: readonly BuiltInOperator[];
  /** In bytes; each is cut to whole elements, of as many for each rank where the ranks share it. */
  readonly sizes: readonly number[];
  /** Names, "all" of each operation, or absent for the library's own choice. */
  readonly algorithms?: readonly string[] | "all";
  /** Whether buffers lie in the segment, which every rank can read. */
  readonly inside: boolean;
  /** Whether one buffer is part of the other; absent: in an all-reduce only, as gradients are. */
  readonly inPlace?: boolean;
  /** Whether operations are built once and started again and again. */
  readonly persistent: boolean;
  /** Time of the timed calls of one point. */
  readonly budgetMs: number;
}

/** One thing to measure. */
export interface BenchPoint {
  readonly op: BenchOp;
  readonly type: DataType;
  /** Of reductions only. */
  readonly operator: BuiltInOperator | undefined;
  /** Undefined: the library chooses. */
  readonly algorithm: string | undefined;
  /** See the table in README.md: mostly the vector. */
  readonly bytes: number;
}

/** Whether an operation's buffers are one. */
export function isInPlace(op: BenchOp, asked: boolean | undefined): boolean {
  const { inPlace } = factsOf(op);
  return inPlace === "either" ? (asked ?? op === "allreduce") : inPlace === "always";
}

function exists(type: DataType, operator: BuiltInOperator): boolean {
  // Averages of integers are rounded down, see calls.ts.
  const isMean = operator === "average" && dataTypeInfo(type).family === "int";
  return reductionExists(type, isMean ? "averageFloor" : operator);
}

/** Types and operators that go together; each that was named must occur. */
function combinations({ ops, types, operators }: BenchTask, op: BenchOp) {
  if (!factsOf(op).reduces) return types.map((type) => ({ type, operator: undefined }));
  for (const operator of operators) {
    if (types.some((type) => exists(type, operator))) continue;
    throw new LaunchRefusedError(
      `Cannot measure ${ops.find((one) => factsOf(one).reduces)} with ${operator}: ` +
        `it is for integers, the types are ${types.join(", ")}`,
    );
  }
  return types.flatMap((type) =>
    operators.filter((name) => exists(type, name)).map((operator) => ({ type, operator })),
  );
}

/** Whole elements, as many for each rank where all ranks have equal parts. */
function sizesFor(op: BenchOp, type: DataType, { sizes }: BenchTask, ranks: number): number[] {
  if (op === "barrier") return [0];
  const width = dataTypeInfo(type).byteLength;
  const unit = factsOf(op).division === "equal" ? width * ranks : width;
  const whole = sizes.map((size) => Math.floor(size / unit) * unit).filter((size) => size > 0);
  if (whole.length > 0) return [...new Set(whole)];
  throw new LaunchRefusedError(
    `Cannot measure ${op} of ${type} between ${ranks} ranks in ${Math.max(...sizes)} bytes: ` +
      `at least ${unit} are expected`,
  );
}

function algorithmNames(op: BenchOp): readonly string[] {
  const { kind } = factsOf(op);
  return kind === undefined ? [] : algorithmsOf(kind);
}

function algorithmsFor(op: BenchOp, { algorithms }: BenchTask): (string | undefined)[] {
  if (algorithms === undefined) return [undefined];
  const names = algorithmNames(op);
  if (algorithms !== "all") return names.filter((name) => algorithms.includes(name));
  return names.length === 0 ? [undefined] : [...names];
}

function checkAlgorithms({ ops, algorithms }: BenchTask): void {
  if (algorithms === undefined || algorithms === "all") return;
  const known = [...new Set(ops.flatMap(algorithmNames))];
  for (const name of algorithms) {
    if (known.includes(name)) continue;
    throw new LaunchRefusedError(
      `Cannot measure algorithm "${name}": ${ops.join(", ")} ` +
        (known.length === 0 ? "have no algorithms to choose from" : `know ${known.join(", ")}`),
    );
  }
}

/**
 * All that is to be measured between a number of ranks, in order: series of points that differ in
 * their size only.
 *
 * @throws {LaunchRefusedError} If something that was asked for cannot be measured; says what can.
 */
export function benchSeries(task: BenchTask, ranks: number): BenchPoint[][] {
  checkAlgorithms(task);
  return task.ops.flatMap((op) => {
    const all = op === "barrier" ? { ...task, types: ["uint8" as const] } : task;
    return combinations(all, op).flatMap(({ type, operator }) =>
      algorithmsFor(op, task).map((algorithm) =>
        sizesFor(op, type, task, ranks).map((bytes) => ({ op, type, operator, algorithm, bytes })),
      ),
    );
  });
}

/**
 * The points of all series.
 *
 * @throws {LaunchRefusedError} As {@link benchSeries}.
 */
export function benchPoints(task: BenchTask, ranks: number): BenchPoint[] {
  return benchSeries(task, ranks).flat();
}

/** Shared memory that the buffers of a rank take at most at once, in bytes. */
export function largestBuffers(task: BenchTask, ranks: number): number {
  if (!task.inside) return 0;
  const held = benchPoints(task, ranks).map(({ op, type, bytes }) => {
    const width = dataTypeInfo(type).byteLength;
    // The last rank's blocks are the largest, the root's buffers the most.
    const most = [0, ranks - 1].map((rank) => {
      const shape = shapeFor(op, bytes / width, { rank, ranks });
      return bytesHeld(shape, width, isInPlace(op, task.inPlace));
    });
    return Math.max(...most);
  });
  return held.reduce((most, bytes) => Math.max(most, bytes), 0);
}
