import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES } from "../memory/dataTypes.js";
import { localJob } from "../testing/localJob.js";
import { BENCH_OPS } from "./ops.js";
import { type BenchTask, benchPoints, largestBuffers, OPERATORS } from "./points.js";
import { makeWorkload } from "./workload.js";

const TASK: BenchTask = {
  ops: BENCH_OPS,
  types: DATA_TYPES.map(({ name }) => name),
  operators: OPERATORS,
  sizes: [1000],
  inside: true,
  persistent: false,
  budgetMs: 1,
};

test("every operation on every type by every operator is right in both forms and places", () => {
  const [group] = localJob({ ranks: 1 });
  const points = benchPoints(TASK, 1);
  const block = group!.allocate("uint8", largestBuffers({ ...TASK, inPlace: false }, 1));
  assert.ok(points.length > BENCH_OPS.length * DATA_TYPES.length);
  for (const [i, point] of points.entries()) {
    const [inside, inPlace, persistent] = [i % 2 === 0, i % 3 === 0, i % 5 === 0];
    const options = { inPlace, persistent, ...(inside && { block }) };
    const workload = makeWorkload(group!, point, options);
    for (const round of [63, 64]) {
      workload.fill(round);
      workload.call();
      workload.check(round);
    }
    workload.free();
  }
});

test("a result of the round before is wrong", () => {
  const [group] = localJob({ ranks: 1 });
  for (const point of benchPoints(
    { ...TASK, types: ["float32", "int64"], operators: ["sum"] },
    1,
  )) {
    if (point.op === "barrier") continue;
    const workload = makeWorkload(group!, point, { persistent: false });
    workload.fill(3);
    workload.call();
    assert.throws(
      () => workload.check(4),
      new RegExp(
        `^Error: Wrong result of ${point.op} of ${point.bytes} bytes of ${point.type} ` +
          "in round 4: element 0 of rank 0 is 4, not 5$",
      ),
    );
    workload.free();
  }
});
