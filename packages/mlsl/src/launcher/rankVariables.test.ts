import assert from "node:assert/strict";
import { test } from "node:test";
import { readRankEnvironment } from "../bootstrap/rankEnvironment.js";
import { rankVariables } from "./rankVariables.js";

test("what a launcher writes, a rank reads", () => {
  const numbers = { rank: 1, ranks: 3, core: 7, computeThreads: 2, launcherPid: 99 };
  const segment = { segmentFd: 3, segmentBytes: 131072 };
  assert.deepEqual(readRankEnvironment(rankVariables({}, { ...numbers, ...segment })), {
    ...numbers,
    segment: { fd: 3, byteLength: 131072 },
  });
});

test("what an outer job has left is taken away, and the rest is kept", () => {
  const base = { MLSL_SEGMENT_FD: "3", MLSL_CORE: "5", LANG: "C" };
  const env = rankVariables(base, { rank: 0, ranks: 1, computeThreads: 1 });
  assert.deepEqual(env, {
    LANG: "C",
    MLSL_RANK: "0",
    MLSL_RANKS: "1",
    MLSL_COMPUTE_THREADS: "1",
    OMP_NUM_THREADS: "1",
    OPENBLAS_NUM_THREADS: "1",
  });
  assert.equal(base.MLSL_CORE, "5");
});

test("X-7: a thread count that the user has set stays", () => {
  const env = rankVariables({ OMP_NUM_THREADS: "9" }, { rank: 0, ranks: 1, computeThreads: 4 });
  assert.equal(env.OMP_NUM_THREADS, "9");
  assert.equal(env.OPENBLAS_NUM_THREADS, "4");
  assert.equal(env.MLSL_COMPUTE_THREADS, "4");
});
