import assert from "node:assert/strict";
import { test } from "node:test";
import { quantile, summarize } from "./statistics.js";

test("a quantile is the element below which that share lies", () => {
  const sorted = Float64Array.from({ length: 200 }, (_, i) => i);
  assert.deepEqual(
    [0, 0.5, 0.99].map((share) => quantile(sorted, share)),
    [0, 100, 198],
  );
  assert.equal(quantile(Float64Array.of(7), 0.99), 7);
});

test("a call takes as long as its slowest rank, and the skew is what the fastest is ahead", () => {
  const summary = summarize(Float64Array.of(1, 9, 3, 5, /* rank 1 */ 2, 4, 8, 6), 2);
  // Calls last 2, 9, 8 and 6; their ranks are 1, 5, 5 and 1 apart.
  assert.deepEqual(summary, { minUs: 2, medianUs: 8, p99Us: 9, skewUs: 5, rankUs: [5, 6] });
});

test("one rank alone has no skew", () => {
  assert.equal(summarize(Float64Array.of(3, 1, 2), 1).skewUs, 0);
});
