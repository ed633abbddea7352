import assert from "node:assert/strict";
import { test } from "node:test";
import { type Accident, type ProgramPlan, planProgram } from "./programPlan.js";
import { programLines, resultLine, traceLine } from "./programText.js";

const plan: ProgramPlan = {
  ...planProgram(1),
  seed: 4,
  mode: "lifo",
  chunkBytes: 16,
  windowBytes: 1,
  groups: [[0, 2, 1]],
  network: { ranks: 3, latencyMs: 1, bandwidthGBps: 1, overheadMs: 0 },
  collectives: [
    {
      group: 0,
      kind: "reduce",
      algorithm: "binomial",
      root: 2,
      count: 5,
      elementBytes: 8,
      operator: "affine",
      inPlace: true,
      starts: 3,
      persistent: true,
      timeoutMs: 1,
      name: "a",
      priority: 2,
    },
  ],
};

test("a program in words has all that is in it", () => {
  const lines = programLines(plan);
  assert.equal(lines[0], "Seed 4: 3 ranks, mode lifo, chunks of 16 B, window of 1 B");
  assert.equal(lines[3], "group 0: ranks 0 2 1");
  assert.equal(
    lines[4],
    "0: reduce binomial in group 0, root 2, count 5 of 8 B, operator affine, in place, " +
      "started 3 times, named a, priority 2",
  );
});

test("accidents in words", () => {
  const last = (accident: Accident): string => programLines({ ...plan, accident }).at(-1)!;
  assert.equal(last({ kind: "death", rank: 1, atMs: 0.5 }), "accident: rank 1 dies at 0.500000 ms");
  assert.match(last({ kind: "disconnect", ranks: [1, 2], atMs: 0 }), /ranks 1 and 2 lose their/);
  assert.match(
    last({ kind: "absent", collective: 0, rank: 2 }),
    /rank 2 never starts collective 0/,
  );
  assert.match(
    last({ kind: "mismatch", collective: 0, ranks: [0, 1] }),
    /ranks 0, 1 ask for something else than collective 0/,
  );
});

test("events and results in a line each", () => {
  assert.equal(traceLine({ ms: 1.5, rank: 2, text: "dies" }), "1.500000 ms  rank 2 dies");
  const result = {
    ...{ seed: 1, ranks: 2, collectives: 1, requestsDone: 3, requestsFailed: 2 },
    ...{ events: 4, frames: 5, kernels: 6, virtualMs: 7, longestPassed: 8 },
  };
  assert.equal(
    resultLine(result),
    "All is right: 3 requests done, 2 failed as they had to; 4 events, 5 frames, 6 kernels, " +
      "7.000000 ms of virtual time; the oldest request was passed over at most 8 times in a row",
  );
  assert.ok(!resultLine({ ...result, requestsFailed: 0 }).includes("failed"));
});
