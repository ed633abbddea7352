import assert from "node:assert/strict";
import { test } from "node:test";
import { clampOf, knowsActivation } from "./activation.js";

test("Clamps and the rest", () => {
  assert.deepEqual(clampOf("relu"), { low: 0, high: Number.POSITIVE_INFINITY });
  assert.deepEqual(clampOf("relu6"), { low: 0, high: 6 });
  for (const activation of ["linear", "sigmoid", "elu"]) {
    assert.deepEqual(clampOf(activation), {
      low: Number.NEGATIVE_INFINITY,
      high: Number.POSITIVE_INFINITY,
    });
  }
});

test("An activation that only a later version has is left to the backend", () => {
  assert.ok(knowsActivation("prelu"));
  assert.ok(!knowsActivation("gelu"));
  assert.ok(!knowsActivation(undefined));
});
