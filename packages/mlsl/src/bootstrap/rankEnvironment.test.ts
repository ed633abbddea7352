import assert from "node:assert/strict";
import { test } from "node:test";
import { readRankEnvironment } from "./rankEnvironment.js";

test("readRankEnvironment knows a rank that no launcher started", () => {
  assert.equal(readRankEnvironment({}), undefined);
});

test("readRankEnvironment reads all that a launcher tells", () => {
  const env = {
    MLSL_RANK: "1",
    MLSL_RANKS: "4",
    MLSL_SEGMENT_FD: "3",
    MLSL_SEGMENT_BYTES: "65536",
    MLSL_LAUNCHER_PID: "77",
    MLSL_CORE: "0",
    MLSL_COMPUTE_THREADS: "2",
  };
  assert.deepEqual(readRankEnvironment(env), {
    rank: 1,
    ranks: 4,
    segment: { fd: 3, byteLength: 65536 },
    launcherPid: 77,
    core: 0,
    computeThreads: 2,
  });
  assert.deepEqual(readRankEnvironment({ MLSL_RANK: "0", MLSL_RANKS: "1" }), { rank: 0, ranks: 1 });
});

test("readRankEnvironment refuses what makes no sense, and quotes it", () => {
  const bad: [NodeJS.ProcessEnv, RegExp][] = [
    [{ MLSL_RANK: "2", MLSL_RANKS: "2" }, /must be below MLSL_RANKS, "2" and "2"/],
    [{ MLSL_RANK: "0" }, /"0" and ""/],
    [{ MLSL_RANK: "x", MLSL_RANKS: "2" }, /Cannot read MLSL_RANK: .*"x"/],
    [{ MLSL_RANK: "-1", MLSL_RANKS: "2" }, RangeError as unknown as RegExp],
  ];
  for (const [env, message] of bad) assert.throws(() => readRankEnvironment(env), message);
});
