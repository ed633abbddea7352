import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Pauses } from "./pauses.js";

interface Timer {
  readonly dueMs: number;
  readonly run: () => void;
}

/** Looks until `enough` says so, on a clock of its own; gives the pauses between looks. */
function pausesUntil(enough: (looks: number) => boolean, settledAt: readonly number[] = []) {
  const timers: Timer[] = [];
  let nowMs = 0;
  const later = (run: () => void, afterMs = 0) => timers.push({ dueMs: nowMs + afterMs, run });
  const replaced = [
    mock.method(globalThis, "setImmediate", (run: () => void) => later(run)),
    mock.method(globalThis, "setTimeout", later),
    mock.method(globalThis, "clearTimeout", () => assert.fail("no timer is pending")),
  ];
  const atMs: number[] = [];
  const pauses = new Pauses(() => {
    atMs.push(nowMs);
    return { settled: settledAt.includes(atMs.length), left: !enough(atMs.length) };
  });
  pauses.begin();
  // While looks are due, beginning again starts no second row of them.
  pauses.begin();
  for (let timer = timers.shift(); timer !== undefined; timer = timers.shift()) {
    assert.equal(timers.length, 0);
    nowMs = timer.dueMs;
    timer.run();
  }
  for (const { mock: replacement } of replaced) replacement.restore();
  return { looks: atMs.length, gapsMs: atMs.slice(1).map((ms, i) => ms - atMs[i]!) };
}

test("looks come at once first, then after pauses that grow up to 10 ms", () => {
  const { gapsMs } = pausesUntil((looks) => looks === 500);
  assert.equal(gapsMs.length, 499);
  assert.ok(gapsMs.slice(0, 199).every((ms) => ms === 0));
  const paused = gapsMs.slice(200);
  assert.deepEqual(
    paused,
    paused.toSorted((a, b) => a - b),
  );
  assert.equal(Math.max(...paused), 10);
  assert.ok(paused[0]! <= 1);
});

test("looks end when nobody waits, and begin anew when somebody does", () => {
  assert.equal(pausesUntil((looks) => looks === 1).looks, 1);
  assert.equal(pausesUntil((looks) => looks === 250).looks, 250);
});

test("whoever settles makes the next looks eager again", () => {
  const { gapsMs } = pausesUntil((looks) => looks === 600, [300]);
  assert.ok(gapsMs[298]! > 0);
  assert.ok(gapsMs.slice(300, 498).every((ms) => ms === 0));
  assert.ok(gapsMs.at(-1)! > 0);
});
