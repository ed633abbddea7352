import assert from "node:assert/strict";
import { test } from "node:test";
import { rankList } from "./rankList.js";

test("rankList writes neighbours as ranges, in order", () => {
  assert.equal(rankList([3]), "rank 3");
  assert.equal(rankList([1, 2]), "ranks 1-2");
  assert.equal(rankList([9, 0, 2, 1, 5]), "ranks 0-2, 5, 9");
});
