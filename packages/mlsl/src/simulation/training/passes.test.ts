import assert from "node:assert/strict";
import { test } from "node:test";
import type { Net } from "./nets.js";
import { computeMsOf, layerTimesOf, slackOf } from "./passes.js";

const NET: Net = {
  name: "tiny",
  layers: [
    { name: "a", messages: [4], multiplyAdds: 1 },
    { name: "b", messages: [4], multiplyAdds: 3 },
  ],
  computeMs: 96,
  computeSource: "published",
};

test("computing takes in proportion to the samples", () => {
  assert.deepEqual(
    [64, 32, 1].map((batch) => computeMsOf(NET, batch)),
    [96, 48, 1.5],
  );
});

test("layers take their shares, a third of it forward; the first has no slack", () => {
  const times = layerTimesOf(NET, 64);
  const rounded = times.map(({ forwardMs, backwardMs }) => [forwardMs, backwardMs].map(Math.round));
  assert.deepEqual(rounded, [
    [8, 16],
    [24, 48],
  ]);
  assert.deepEqual(slackOf(times).map(Math.round), [0, 24]);
});
