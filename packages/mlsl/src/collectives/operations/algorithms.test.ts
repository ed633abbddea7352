import assert from "node:assert/strict";
import { test } from "node:test";
import { algorithmName, algorithmNamed, DIRECT } from "./algorithms.js";

test("algorithms are found by name and told by code", () => {
  assert.equal(algorithmNamed("allreduce", "direct"), DIRECT);
  assert.equal(algorithmName("allreduce", DIRECT.code), "direct");
  assert.equal(algorithmName("allreduce", 250), "algorithm 250");
});

test("a name that a collective has not is refused with those that it has", () => {
  for (const kind of ["barrier", "allreduce", "alltoallv"] as const) {
    for (const name of ["telepathy", "", 5, null]) {
      assert.throws(
        () => algorithmNamed(kind, name as string),
        new RegExp(`^RangeError: Cannot ${kind}: algorithm must be .*direct.*, got "${name}"$`),
      );
    }
  }
});
