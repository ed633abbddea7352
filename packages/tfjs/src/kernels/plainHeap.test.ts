import assert from "node:assert/strict";
import { test } from "node:test";
import { words } from "./plainHeap.js";

test("words reads the block at a byte address", () => {
  const ints = Int32Array.from({ length: 40 }, (_, i) => i);
  assert.equal(words(ints, 32)[0], 8);
  assert.equal(words(ints, 32).length, 21);
});
