import assert from "node:assert/strict";
import { test } from "node:test";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { BENCH_OPS } from "./ops.js";
import { type BenchTask, benchPoints, benchSeries, isInPlace, largestBuffers } from "./points.js";

const TASK: BenchTask = {
  ops: ["allreduce"],
  types: ["float32"],
  operators: ["sum"],
  sizes: [4, 16],
  inside: true,
  persistent: false,
  budgetMs: 1,
};

function seen(part: Partial<BenchTask>, ranks = 2): string[] {
  return benchPoints({ ...TASK, ...part }, ranks).map(({ op, type, operator, algorithm, bytes }) =>
    [op, type, operator, algorithm, bytes].filter((one) => one !== undefined).join(" "),
  );
}

function refused(part: Partial<BenchTask>, message: RegExp, ranks = 2): void {
  assert.throws(
    () => seen(part, ranks),
    (error) => error instanceof LaunchRefusedError && message.test(error.message),
  );
}

test("sizes are cut to whole elements, of as many for each rank where ranks share them", () => {
  const sizes = [4, 5, 20, 64];
  assert.deepEqual(seen({ ops: ["allgather"], sizes }, 3), [
    "allgather float32 12",
    "allgather float32 60",
  ]);
  assert.deepEqual(seen({ ops: ["broadcast"], sizes, types: ["float64"] }), [
    "broadcast float64 16",
    "broadcast float64 64",
  ]);
  refused(
    { ops: ["alltoall"], types: ["int64"], sizes: [4, 8] },
    /^Cannot measure alltoall of int64 between 2 ranks in 8 bytes: at least 16 are expected$/,
  );
});

test("types go with the operators that they know, and a barrier with none", () => {
  const ops = ["allreduce", "gather", "barrier"] as const;
  const types = ["float32", "int8"] as const;
  assert.deepEqual(seen({ ops, types, operators: ["sum", "xor"], sizes: [8] }), [
    "allreduce float32 sum 8",
    "allreduce int8 sum 8",
    "allreduce int8 xor 8",
    "gather float32 8",
    "gather int8 8",
    "barrier uint8 0",
  ]);
});

test("a series differs in its sizes only", () => {
  const series = benchSeries(
    { ...TASK, ops: ["allreduce", "barrier"], types: ["int8", "int16"] },
    2,
  );
  assert.deepEqual(
    series.map((points) => points.map(({ op, type, bytes }) => `${op} ${type} ${bytes}`)),
    [
      ["allreduce int8 4", "allreduce int8 16"],
      ["allreduce int16 4", "allreduce int16 16"],
      ["barrier uint8 0"],
    ],
  );
});

test("an operator that no type knows is refused", () => {
  refused(
    { operators: ["and"] },
    /^Cannot measure allreduce with and: it is for integers, the types are float32$/,
  );
  assert.deepEqual(seen({ ops: ["broadcast"], operators: ["and"], sizes: [4] }), [
    "broadcast float32 4",
  ]);
});

test("algorithms are those that an operation has", () => {
  assert.deepEqual(seen({ algorithms: ["direct"], sizes: [4] }), [
    "allreduce float32 sum direct 4",
  ]);
  assert.ok(seen({ algorithms: "all", sizes: [4] }).includes("allreduce float32 sum direct 4"));
  assert.deepEqual(seen({ ops: ["sendrecv"], algorithms: "all", sizes: [4] }), [
    "sendrecv float32 4",
  ]);
  refused({ algorithms: ["zigzag"] }, /^Cannot measure algorithm "zigzag": allreduce know direct/);
  refused(
    { ops: ["sendrecv"], algorithms: ["direct"] },
    /algorithm "direct": sendrecv have no algorithms to choose from$/,
  );
});

test("buffers are one as it was asked, where they can be", () => {
  const inPlace = (asked?: boolean): string[] => BENCH_OPS.filter((op) => isInPlace(op, asked));
  assert.deepEqual(inPlace(), ["allreduce", "broadcast"]);
  assert.deepEqual(inPlace(false), ["broadcast"]);
  assert.deepEqual(
    BENCH_OPS.filter((op) => !isInPlace(op, true)),
    ["barrier", "sendrecv", "alltoallv"],
  );
});

test("memory is that of the rank that holds most", () => {
  const held = (part: Partial<BenchTask>): number => largestBuffers({ ...TASK, ...part }, 2);
  assert.equal(held({ sizes: [64, 1024] }), 1024);
  assert.equal(held({ sizes: [1024], inPlace: false }), 2048);
  assert.equal(held({ ops: ["gather"], sizes: [1024] }), 1536);
  // Rank 1 gets two thirds of what each of the two sends.
  assert.equal(held({ ops: ["alltoallv"], sizes: [1200] }), 1216 + 1600);
  assert.equal(held({ inside: false }), 0);
});
