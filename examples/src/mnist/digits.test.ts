import assert from "node:assert/strict";
import { test } from "node:test";
import { CLASSES, loadDigits, PIXELS, splitDigits } from "./digits.js";

const all = loadDigits();

test("there are 10,000 digits with ink, some 1,000 of each label", () => {
  assert.equal(all.count, 10_000);
  assert.equal(all.pixels.length, all.count * PIXELS);
  const counts = new Array<number>(CLASSES).fill(0);
  for (const [index, label] of all.labels.entries()) {
    counts[label] = (counts[label] as number) + 1;
    const ink = all.pixels.subarray(index * PIXELS, (index + 1) * PIXELS);
    assert.ok(ink.some((value) => value > 200));
  }
  for (const count of counts) assert.ok(count > 800 && count < 1200, String(counts));
});

test("a split has no digit twice and depends on the seed alone", () => {
  const sizes = { trainCount: 8192, testCount: 1808 };
  const { train, test: held } = splitDigits(all, { ...sizes, seed: 1 });
  assert.deepEqual([train.count, held.count], [8192, 1808]);
  const sum = (pixels: Uint8Array) => pixels.reduce((total, value) => total + value, 0);
  assert.equal(sum(train.pixels) + sum(held.pixels), sum(all.pixels), "together they are all");
  assert.deepEqual(splitDigits(all, { ...sizes, seed: 1 }).train, train);
  assert.notDeepEqual(splitDigits(all, { ...sizes, seed: 2 }).train.labels, train.labels);
});

test("fewer digits to learn from leave the test as it is", () => {
  const whole = splitDigits(all, { trainCount: 8192, testCount: 100, seed: 3 });
  const small = splitDigits(all, { trainCount: 64, testCount: 100, seed: 3 });
  assert.deepEqual(small.test, whole.test);
  assert.deepEqual(small.train.labels, whole.train.labels.subarray(0, 64));
});

test("more digits than there are is an error", () => {
  assert.throws(() => splitDigits(all, { trainCount: 9000, testCount: 1001, seed: 1 }), {
    name: "RangeError",
    message: /at most 10000, got 9000 and 1001$/,
  });
});
