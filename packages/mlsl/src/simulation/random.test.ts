import assert from "node:assert/strict";
import { test } from "node:test";
import { SEED } from "../testing/seed.js";
import { Random } from "./random.js";

test("the same seed gives the same numbers, another one others", () => {
  const draw = (seed: number): number[] => {
    const random = new Random(seed);
    return Array.from({ length: 100 }, () => random.next());
  };
  assert.deepEqual(draw(SEED), draw(SEED));
  assert.notDeepEqual(draw(SEED), draw(SEED + 1));
  assert.ok(draw(SEED).every((value) => value >= 0 && value < 1));
});

test("a chance comes as often as its share says", () => {
  const random = new Random(SEED);
  const all = Array.from({ length: 20000 }, () => random.chance(0.25));
  const share = all.filter((came) => came).length / all.length;
  assert.ok(Math.abs(share - 0.25) < 0.03, `MLSL_TEST_SEED=${SEED}: ${share}`);
  assert.equal(random.chance(1), true);
  assert.equal(random.chance(0), false);
});

test("every order of three items comes out of a shuffle, and nothing else", () => {
  const random = new Random(SEED);
  const counts = new Map<string, number>();
  for (let i = 0; i < 6000; i++) {
    const text = random.shuffle(["a", "b", "c"]).join("");
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  assert.deepEqual([...counts.keys()].sort(), ["abc", "acb", "bac", "bca", "cab", "cba"]);
  for (const count of counts.values()) assert.ok(Math.abs(count - 1000) < 200, `${count}`);
});
