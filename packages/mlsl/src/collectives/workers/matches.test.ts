import assert from "node:assert/strict";
import { test } from "node:test";
import { Matches } from "./matches.js";

test("requests without a name are counted, those of a name by itself, whatever lies between", () => {
  const [one, other] = [new Matches(), new Matches()];
  assert.deepEqual([one.next(undefined), one.next(undefined)], [0, 1]);
  const [a, b, again] = [one.next("a"), one.next("b"), one.next("a")];
  assert.equal(other.next("b"), b);
  assert.equal(other.next("a"), a);
  assert.equal(other.next("a"), again);
});

test("numbers of names are whole, below 2^52, never those of a count, and all different", () => {
  const matches = new Matches();
  const seen = new Set<number>();
  for (let i = 0; i < 100000; i++) {
    const number = matches.next(`layer ${i % 1000}`);
    assert.ok(Number.isSafeInteger(2 * number + 1) && number >= 2 ** 51 && number < 2 ** 52);
    seen.add(number);
  }
  assert.equal(seen.size, 100000);
});
