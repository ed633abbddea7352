import assert from "node:assert/strict";
import { test } from "node:test";
import { executionContexts } from "../../testing/executionContexts.js";
import { PhaseClock } from "./phaseClock.js";

function clocks(ranks: number): PhaseClock[] {
  return executionContexts(ranks).map((context) => new PhaseClock(context));
}

test("a step together is over when the last rank has come, and names those who have not", () => {
  const [a, b, c] = clocks(3);
  assert.equal(a!.sync(0), false);
  assert.equal(a!.sync(5), false);
  assert.deepEqual(a!.behind(a!.phase), [1, 2]);
  assert.equal(c!.sync(0), false);
  assert.deepEqual(a!.behind(a!.phase), [1]);
  assert.equal(b!.sync(0), true);
  assert.deepEqual(
    [a, b, c].map((clock) => clock!.phase),
    [1, 1, 1],
  );
  // The next step begins before all have seen the end of this one.
  assert.equal(b!.sync(0), false);
  assert.equal(a!.sync(0), true);
  assert.equal(a!.sync(0), false);
  assert.equal(c!.sync(0), true);
  assert.equal(c!.sync(0), true);
  assert.deepEqual(c!.behind(c!.phase), []);
});

test("phases are compared beyond 2³¹ and 2³²", () => {
  const [a, b] = clocks(2);
  for (const steps of [2 ** 31 - 1, 1, 1, 2 ** 31 - 2]) {
    a!.advance(steps);
    assert.equal(b!.hasReached(0, a!.phase, 0), true);
    assert.equal(b!.hasReached(0, a!.phase + 1, 3), false);
    assert.deepEqual(a!.behind(a!.phase), [1]);
    b!.advance(steps);
    assert.deepEqual(a!.behind(a!.phase), []);
  }
  assert.equal(a!.phase, 2 ** 32 - 1);
  assert.equal(a!.sync(0), false);
  assert.equal(a!.phase, 0);
  assert.deepEqual(a!.behind(a!.phase), [1]);
  assert.equal(b!.hasReached(0, 2 ** 32, 0), true);
  assert.equal(b!.sync(0), true);
});
