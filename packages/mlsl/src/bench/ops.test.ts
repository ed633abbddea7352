import assert from "node:assert/strict";
import { test } from "node:test";
import { BENCH_OPS, factsOf } from "./ops.js";

test("bus factors are the shares of the vector that cross a link", () => {
  for (const ranks of [1, 2, 3, 8]) {
    for (const op of BENCH_OPS) {
      const others = (ranks - 1) / ranks;
      const expected =
        op === "allreduce"
          ? 2 * others
          : ["reduce", "broadcast", "barrier", "sendrecv"].includes(op)
            ? 1
            : others;
      assert.equal(factsOf(op).busFactor(ranks), expected, `${op}, ${ranks} ranks`);
    }
  }
});

test("every operation that chooses among algorithms is known by its own name", () => {
  for (const op of BENCH_OPS) {
    assert.equal(factsOf(op).kind, op === "sendrecv" ? undefined : op);
  }
});
