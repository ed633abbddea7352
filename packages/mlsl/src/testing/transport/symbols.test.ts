import assert from "node:assert/strict";
import { test } from "node:test";
import { Symbols } from "./symbols.js";

test("equal symbols are the same inputs combined in the same way", () => {
  const symbols = new Symbols(3, 2);
  const [a, b, c] = [0, 1, 2].map((rank) => symbols.input(rank, 1)) as [number, number, number];
  const left = symbols.combine(symbols.combine(a, b), c);
  const right = symbols.combine(a, symbols.combine(b, c));
  assert.notEqual(left, right);
  assert.equal(left, symbols.combine(symbols.combine(a, b), c));
  assert.deepEqual(symbols.inputs(left), symbols.inputs(right));
  assert.equal(symbols.text(left), "0:1 1:1 2:1");
});

test("isReduction wants every rank's element once, and in order if asked", () => {
  const symbols = new Symbols(2, 2);
  const [a, b] = [0, 1].map((rank) => symbols.input(rank, 0)) as [number, number];
  assert.ok(symbols.isReduction(symbols.combine(a, b), 0, true));
  assert.ok(!symbols.isReduction(symbols.combine(b, a), 0, true));
  assert.ok(symbols.isReduction(symbols.combine(b, a), 0, false));
  assert.ok(!symbols.isReduction(symbols.combine(a, a), 0, false));
  assert.ok(!symbols.isReduction(symbols.combine(a, b), 1, false));
  assert.ok(!symbols.isReduction(a, 0, false));
  assert.ok(!symbols.isReduction(0, 0, false));
});
