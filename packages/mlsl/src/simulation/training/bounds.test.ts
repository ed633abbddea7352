import assert from "node:assert/strict";
import { test } from "node:test";
import { boundsOf } from "./bounds.js";
import type { Net } from "./nets.js";

/** A small layer that computes much, and a large one that computes little. */
const NET: Net = {
  name: "tiny",
  layers: [
    { name: "a", messages: [1e6], multiplyAdds: 9 },
    { name: "b", messages: [5e6, 2e6], multiplyAdds: 1 },
  ],
  computeMs: 10,
  computeSource: "published",
};

function rounded(batch: number): number[] {
  const bounds = boundsOf({ net: NET, batch, nodes: 4, bandwidthGBps: 1.5 });
  return [
    ...[bounds.computeMs, bounds.backwardMs, bounds.communicationMs],
    ...[bounds.boundMs, bounds.pipelineBoundMs],
  ].map((ms) => Math.round(ms * 1000) / 1000);
}

test("three halves of 8 MB at 1.5 GB/s take 8 ms, and cannot begin before the last layer is done", () => {
  // Through the first layer: 10 + 1; through the last: 1 + 8.
  assert.deepEqual(rounded(64), [10, 6.667, 8, 10, 11]);
  // Through the first: 2.5 + 1; through the last: 0.25 + 8.
  assert.deepEqual(rounded(16), [2.5, 1.667, 8, 8, 8.25]);
});
