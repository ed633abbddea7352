import assert from "node:assert/strict";
import { test } from "node:test";
import { foldOf } from "./fold.js";
import { bitsBackwards, halvingsByFurthest, halvingsByNearest } from "./halvings.js";

test("a member ends with the part of its number, or of its number backwards", () => {
  for (let log = 0; log <= 10; log++) {
    const fold = foldOf(2 ** log);
    const start = (part: number) => 3 * part;
    for (let member = 0; member < fold.size; member += 1 + Math.floor(fold.size / 64)) {
      const whole = { kept: { begin: 0, end: 3 * fold.size } };
      const far = halvingsByFurthest(fold, member, start).at(-1) ?? whole;
      assert.deepEqual(far.kept, { begin: 3 * member, end: 3 * member + 3 });
      const near = halvingsByNearest(fold, member, start).at(-1) ?? whole;
      const backwards = bitsBackwards(member, fold.size);
      assert.deepEqual(near.kept, { begin: 3 * backwards, end: 3 * backwards + 3 });
    }
  }
});

test("bitsBackwards is its own inverse", () => {
  assert.equal(bitsBackwards(1, 8), 4);
  assert.equal(bitsBackwards(6, 8), 3);
  for (let number = 0; number < 1024; number++) {
    assert.equal(bitsBackwards(bitsBackwards(number, 1024), 1024), number);
  }
});
