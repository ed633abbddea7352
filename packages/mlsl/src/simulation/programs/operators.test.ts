import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOf, PROGRAM_OPERATORS } from "./operators.js";

const { sum, affine, grouped } = PROGRAM_OPERATORS;
const HASHES = Array.from({ length: 40 }, (_, i) => hashOf(i, 7));

test("exact operators associate, and the one that needs order does not commute", () => {
  for (const { element, combine } of [sum, affine]) {
    for (let i = 0; i + 2 < HASHES.length; i++) {
      const [a, b, c] = HASHES.slice(i, i + 3).map(element) as [number, number, number];
      assert.equal(combine(combine(a, b), c), combine(a, combine(b, c)));
    }
  }
  const [a, b] = HASHES.map(affine.element) as [number, number];
  assert.notEqual(affine.combine(a, b), affine.combine(b, a));
});

test("the composition of two maps is one after the other", () => {
  // x → 3x + 5 after x → 7x + 2 is x → 21x + 11.
  assert.equal(affine.combine(3 * 251 + 5, 7 * 251 + 2), 21 * 251 + 11);
});

test("the grouped operator shows brackets and order", () => {
  const [a, b, c] = HASHES.map(grouped.element) as [number, number, number];
  const { combine } = grouped;
  assert.notEqual(combine(combine(a, b), c), combine(a, combine(b, c)));
  assert.notEqual(combine(a, b), combine(b, a));
});

test("hashes of neighbours differ", () => {
  const all = new Set<number>();
  for (let i = 0; i < 100; i++) for (let j = 0; j < 100; j++) all.add(hashOf(i, j));
  assert.equal(all.size, 10000);
  assert.equal(hashOf(1, 2), hashOf(1, 2));
  assert.notEqual(hashOf(1, 2), hashOf(2, 1));
});
