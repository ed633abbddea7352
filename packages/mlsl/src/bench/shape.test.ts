import assert from "node:assert/strict";
import { test } from "node:test";
import { BENCH_OPS, factsOf } from "./ops.js";
import { blockCounts, bytesHeld, shapeFor } from "./shape.js";

test("blocks are equal or all different, and add up", () => {
  for (const ranks of [1, 2, 3, 8]) {
    for (const count of [0, ranks, 24 * ranks, 1000 * ranks]) {
      for (const op of ["allgather", "allgatherv"] as const) {
        const counts = blockCounts(op, count, ranks);
        assert.equal(
          counts.reduce((sum, one) => sum + one, 0),
          count,
        );
        const different = op === "allgatherv" && count >= 24 * ranks ? ranks : undefined;
        if (different !== undefined) assert.equal(new Set(counts).size, different);
      }
    }
  }
  assert.deepEqual(blockCounts("gatherv", 60, 3), [10, 20, 30]);
});

test("what is expected fills the buffer that gets it, and what is sent is received", () => {
  for (const ranks of [1, 2, 3, 5]) {
    for (const op of BENCH_OPS) {
      const shapes = Array.from({ length: ranks }, (_, rank) =>
        shapeFor(op, 60 * ranks, { rank, ranks }),
      );
      for (const { recv = 0, expected } of shapes) {
        assert.equal(
          expected.reduce((sum, { count }) => sum + count, 0),
          recv,
          op,
        );
      }
    }
  }
});

test("one of two buffers in place is part of the other", () => {
  for (const op of BENCH_OPS) {
    if (factsOf(op).inPlace === "never") continue;
    for (const rank of [0, 1, 2]) {
      const shape = shapeFor(op, 60, { rank, ranks: 3 });
      const { send = 0, recv = 0, inPlaceAt } = shape;
      if (shape.send === undefined || shape.recv === undefined) continue;
      assert.ok(inPlaceAt + Math.min(send, recv) <= Math.max(send, recv), op);
    }
  }
});

test("buffers begin on cache lines of their own", () => {
  const shape = shapeFor("allgather", 300, { rank: 0, ranks: 3 });
  assert.equal(bytesHeld(shape, 1, false), 128 + 320);
  assert.equal(bytesHeld(shape, 1, true), 320);
  assert.equal(bytesHeld(shape, 8, true), 2432);
  assert.equal(bytesHeld(shapeFor("barrier", 0, { rank: 0, ranks: 3 }), 8, false), 0);
});
