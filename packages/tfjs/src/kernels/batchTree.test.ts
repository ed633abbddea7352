import assert from "node:assert/strict";
import { test } from "node:test";
import { LEAF_SAMPLES, treeLeaves, treeLevels } from "./batchTree.js";
import { treeSum } from "./fixtures/trees.js";

/** The sum that the leaves of a plan make with a stack, as text, and the greatest height below it. */
function planned(samples: number, most?: number): { sum: string; waiting: number } {
  const stack: string[] = [];
  let waiting = 0;
  for (const { start, step, count, merges } of treeLeaves(samples, most)) {
    let sum = Array.from({ length: count }, (_, i) => start + i * step).join();
    waiting = Math.max(waiting, stack.length);
    for (let i = 0; i < merges; i++) sum = `(${stack.pop()} + ${sum})`;
    stack.push(sum);
  }
  assert.equal(stack.length, 1);
  return { sum: stack[0]!, waiting };
}

/** The definition, as text. */
function defined(samples: readonly number[], most: number): string {
  if (samples.length <= most) return samples.join();
  const [even, odd] = [0, 1].map((parity) => samples.filter((_, i) => i % 2 === parity));
  return `(${defined(even!, most)} + ${defined(odd!, most)})`;
}

test("The leaves add up as the definition says, for every batch size and every cut", () => {
  for (let samples = 1; samples <= 300; samples++) {
    const all = Array.from({ length: samples }, (_, i) => i);
    assert.equal(planned(samples).sum, defined(all, LEAF_SAMPLES));
    assert.equal(planned(samples, 100).sum, defined(all, 100));
  }
});

test("As many sums wait as the tree has levels, or fewer", () => {
  for (let samples = 1; samples <= 300; samples++) {
    assert.ok(planned(samples).waiting <= treeLevels(samples));
    assert.ok(planned(samples, 7).waiting <= treeLevels(samples, 7));
  }
  assert.equal(planned(64).waiting, treeLevels(64));
});

test("A batch of 64 is four leaves of 16, dealt as to four ranks", () => {
  assert.deepEqual(treeLeaves(64), [
    { start: 0, step: 4, count: 16, merges: 0 },
    { start: 2, step: 4, count: 16, merges: 1 },
    { start: 1, step: 4, count: 16, merges: 0 },
    { start: 3, step: 4, count: 16, merges: 2 },
  ]);
});

test("The tree rounds less than a sum in order", () => {
  const values = Array<number>(4096).fill(Math.fround(0.1));
  assert.ok(Math.abs(treeSum(values) / 409.6 - 1) < 1e-6);
});
