import assert from "node:assert/strict";
import { test } from "node:test";
import { benchLine } from "./benchLine.js";

const TIMING = {
  ...{ iterations: 9, minUs: 1.006, medianUs: 2.5, p99Us: 30, skewUs: 0.4 },
  ...{ rankUs: [2.401, 2.5], c2cNs: 50.4 },
};
const FRAME = { peer: "mlsl-threads", form: "sync", ranks: 4, in_place: false };

test("a line has bandwidths of algorithm and bus, and figures in two digits", () => {
  const point = { op: "allreduce", type: "int8", operator: "max", algorithm: "direct" } as const;
  assert.deepEqual(benchLine({ ...point, bytes: 10000 }, TIMING, FRAME), {
    ...FRAME,
    ...{ op: "allreduce", type: "int8", reduce: "max", algorithm: "direct", bytes: 10000 },
    ...{ iterations: 9, min_us: 1.01, median_us: 2.5, p99_us: 30 },
    ...{ algbw_GBps: 4, busbw_GBps: 6, skew_us: 0.4, rank_us: [2.4, 2.5], c2c_ns: 50 },
  });
});

test("a barrier has neither type nor operator nor bandwidth", () => {
  const point = {
    op: "barrier",
    type: "uint8",
    operator: undefined,
    algorithm: undefined,
  } as const;
  const line = benchLine({ ...point, bytes: 0 }, TIMING, FRAME);
  assert.deepEqual(
    [line.type, line.reduce, line.algorithm, line.algbw_GBps, line.busbw_GBps],
    ["", "", "default", 0, 0],
  );
});
