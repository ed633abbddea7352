import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { shuffleIndices } from "./shuffleIndices.js";

const SEED = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test("every number comes once", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2000 }), SEED, (count, seed) => {
      const sorted = shuffleIndices(count, seed).sort();
      assert.deepEqual(
        sorted,
        Int32Array.from({ length: count }, (_, i) => i),
      );
    }),
  );
});

test("the order depends on count and seed alone, for ever", () => {
  // Recorded from this implementation: against changes, not against mistakes.
  assert.deepEqual([...shuffleIndices(10, 0)], [3, 6, 1, 5, 0, 4, 2, 9, 7, 8]);
  assert.deepEqual([...shuffleIndices(10, 1)], [4, 1, 5, 6, 3, 0, 9, 7, 2, 8]);
  assert.deepEqual([...shuffleIndices(10, 2 ** 32 - 1)], [5, 4, 0, 7, 3, 6, 9, 1, 2, 8]);
});

test("different seeds give different orders", () => {
  const orders = new Set<string>();
  for (let seed = 0; seed < 1000; seed++) orders.add(shuffleIndices(20, seed).join());
  assert.equal(orders.size, 1000);
});

test("every number comes to every place equally often", () => {
  const [count, seeds] = [8, 8000];
  const hits = new Int32Array(count * count);
  for (let seed = 0; seed < seeds; seed++) {
    for (const [place, index] of shuffleIndices(count, seed).entries()) {
      hits[place * count + index] = (hits[place * count + index] as number) + 1;
    }
  }
  // Binomial, n = 8000 and p = 1/8: mean 1000, standard deviation 29.6. Five of those.
  for (const hit of hits) assert.ok(Math.abs(hit - 1000) < 148, `${hit} instead of 1000`);
});

test("what is out of range is an error", () => {
  for (const count of [-1, 1.5, Number.NaN, 2 ** 31]) {
    assert.throws(() => shuffleIndices(count, 0), RangeError);
  }
  for (const seed of [-1, 0.5, Number.NaN, 2 ** 32]) {
    assert.throws(() => shuffleIndices(3, seed), /seed to be an integer from 0 to 4294967295/);
  }
});
