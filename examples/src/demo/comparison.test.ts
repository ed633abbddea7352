import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, lossesOf } from "./comparison.js";
import { makeRun } from "./fixtures/runs.js";

const losses = [
  [3, 2],
  [1, 0.5],
  [0.25, 0.125],
  [0.1, 0.05],
];

test("times are those of the median epoch, and the first one does not count", () => {
  const few = makeRun({ ranks: 1, ms: [9000, 2000, 1900, 4000], losses });
  const many = makeRun({ ranks: 2, ms: [9000, 1000, 900, 4000], losses });
  const { runs, speedUp } = compare(few, many);
  assert.deepEqual(
    runs.map(({ secondsPerEpoch }) => secondsPerEpoch),
    [2, 1],
  );
  assert.deepEqual(
    runs.map(({ imagesPerSecond }) => imagesPerSecond),
    [500, 1000],
  );
  assert.equal(speedUp, 2);
  assert.deepEqual(
    runs.map(({ fastestStepMs }) => fastestStepMs),
    [19, 9],
  );
  assert.deepEqual(
    runs.map(({ exposedMsPerStep }) => exposedMsPerStep),
    [0, 1],
  );
});

test("an even number of epochs has its median in the middle, a single epoch counts", () => {
  const few = makeRun({ ranks: 1, ms: [1, 1000, 3000], losses });
  const many = makeRun({ ranks: 2, ms: [1, 1000, 2000], losses });
  assert.equal(compare(few, many).runs[1].secondsPerEpoch, 1.5);
  assert.equal(compare(few, many).speedUp, (1 + 1.5) / 2);
  const once = { ms: [500], losses: losses.slice(0, 1) };
  const { runs } = compare(makeRun({ ranks: 1, ...once }), makeRun({ ranks: 2, ...once }));
  assert.equal(runs[0].secondsPerEpoch, 0.5);
});

test("losses are compared step by step, weights by their hash", () => {
  const few = makeRun({ ranks: 1, ms: [1, 1], losses: losses.slice(0, 2) });
  const other = [
    [3, 2.25],
    [1.125, 0.5],
  ];
  const many = makeRun({ ranks: 2, ms: [1, 1], losses: other, weightsHash: "bb" });
  assert.equal(compare(few, many).maxLossDifference, 0.25);
  assert.equal(compare(few, many).sameWeights, false);
  assert.equal(compare(few, few).maxLossDifference, 0);
  assert.equal(compare(few, few).sameWeights, true);
  assert.deepEqual(lossesOf(many), [3, 2.25, 1.125, 0.5]);
});

test("trainings of different lengths cannot be compared", () => {
  const few = makeRun({ ranks: 1, ms: [1], losses: [[1, 2]] });
  const many = makeRun({ ranks: 2, ms: [1], losses: [[1]] });
  assert.throws(() => compare(few, many), { name: "RangeError", message: /got 2 and 1$/ });
});
