import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleLine } from "./fixtures/exampleLine.js";
import { tunedTable } from "./tuning.js";

/** Lines of two algorithms: [bytes, us of direct, us of ring]. */
function lines(op: string, ranks: number, times: readonly (readonly number[])[]) {
  return times.flatMap(([bytes, direct, ring]) => [
    exampleLine({ op, ranks, bytes: bytes!, median_us: direct!, algorithm: "direct" }),
    exampleLine({ op, ranks, bytes: bytes!, median_us: ring!, algorithm: "ring" }),
  ]);
}

test("the fastest of each size is chosen, and sizes that choose alike are one entry", () => {
  const times = [
    [16, 1, 2],
    [64, 1, 2],
    [256, 3, 2],
    [1024, 4, 2],
  ];
  assert.deepEqual(tunedTable(lines("allreduce", 2, times)), {
    version: 1,
    entries: [
      { kind: "allreduce", maxBytes: 128, algorithm: "direct" },
      { kind: "allreduce", algorithm: "ring" },
    ],
  });
});

test("numbers of ranks divide all others among them, and ranges that choose alike are one", () => {
  const of = (...all: number[]) =>
    tunedTable(all.flatMap((ranks) => lines("broadcast", ranks, [[64, ranks, 5]]))).entries;
  assert.deepEqual(of(8, 2, 4, 16), [
    { kind: "broadcast", maxRanks: 4, algorithm: "direct" },
    { kind: "broadcast", minRanks: 5, algorithm: "ring" },
  ]);
  assert.deepEqual(of(2), [{ kind: "broadcast", algorithm: "direct" }]);
});

test("bytes are as a table means them: of a block, or no limit at all", () => {
  const times = [
    [16, 1, 2],
    [256, 30, 2],
  ];
  assert.deepEqual(tunedTable(lines("alltoall", 2, times)).entries, [
    { kind: "alltoall", maxBytes: 32, algorithm: "direct" },
    { kind: "alltoall", algorithm: "ring" },
  ]);
  assert.deepEqual(tunedTable(lines("alltoallv", 2, times)).entries, [
    { kind: "alltoallv", algorithm: "ring" },
  ]);
});

test("equal times keep the algorithm that is listed first, and messages have no choice", () => {
  assert.deepEqual(tunedTable(lines("allgather", 2, [[16, 2, 2]])).entries, [
    { kind: "allgather", algorithm: "direct" },
  ]);
  assert.deepEqual(tunedTable(lines("sendrecv", 2, [[16, 2, 2]])).entries, []);
});
