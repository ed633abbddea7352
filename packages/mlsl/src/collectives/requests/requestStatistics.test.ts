import assert from "node:assert/strict";
import { test } from "node:test";
import { inlineStatistics, sumOf } from "./requestStatistics.js";

test("statistics of several requests are their sums", () => {
  const one = { queuedMs: 1, waitingMs: 2, movingMs: 3, reducingMs: 4, exposedMs: 5, hiddenMs: 6 };
  const both = sumOf([one, inlineStatistics(10)]);
  assert.deepEqual(both, { ...one, exposedMs: 15 });
  assert.deepEqual(sumOf([]), inlineStatistics(0));
});
