import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCount } from "./numbers.js";

test("parseCount takes whole numbers from 1 and nothing else", () => {
  assert.equal(parseCount("1"), 1);
  assert.equal(parseCount("67108864"), 67108864);
  for (const bad of ["0", "-1", "1.5", "abc", "", "1e3", " 2"]) {
    assert.throws(() => parseCount(bad), /whole number of at least 1/);
  }
});
