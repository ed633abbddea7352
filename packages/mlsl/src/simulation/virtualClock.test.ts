import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../simulation/random.js";
import { SEED } from "../testing/seed.js";
import { VirtualClock } from "./virtualClock.js";

test("events happen in the order of their times, and of their calls where those are equal", () => {
  const random = new Random(SEED);
  const clock = new VirtualClock();
  const expected: { atMs: number; index: number }[] = [];
  const seen: { atMs: number; index: number }[] = [];
  for (let index = 0; index < 3000; index++) {
    const atMs = random.below(200) / 8;
    expected.push({ atMs, index });
    clock.at(atMs, (own: number) => seen.push({ atMs: clock.nowMs, index: own }), index);
  }
  clock.run();
  expected.sort((a, b) => a.atMs - b.atMs || a.index - b.index);
  assert.deepEqual(seen, expected, `MLSL_TEST_SEED=${SEED}`);
  assert.equal(clock.eventCount, 3000);
});

test("events that are added while others happen come in their order too", () => {
  const random = new Random(SEED + 1);
  const clock = new VirtualClock();
  let left = 5000;
  let lastMs = 0;
  const happen = (): void => {
    assert.ok(clock.nowMs >= lastMs);
    lastMs = clock.nowMs;
    for (let i = random.below(3); i > 0 && left > 0; i--, left--) {
      clock.after(random.below(50) / 4, happen);
    }
  };
  for (let i = 0; i < 10; i++) clock.after(i, happen);
  clock.run();
  assert.equal(clock.nowMs, lastMs);
});

test("an event that is cancelled does not happen, and no time passes for it", () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  clock.at(1, (text: string) => seen.push(text), "a");
  const second = clock.at(2, (text: string) => seen.push(text), "b");
  clock.cancel(second);
  clock.run();
  assert.deepEqual(seen, ["a"]);
  assert.equal(clock.nowMs, 1);
  assert.equal(clock.eventCount, 1);
});

test("a time that is over, or none, is refused", () => {
  const clock = new VirtualClock();
  clock.at(5, () => {
    assert.throws(
      () => clock.at(4, () => {}),
      /at 4 ms: expected a time from now on, and now is 5/,
    );
  });
  clock.run();
  assert.throws(() => clock.after(Number.NaN, () => {}), RangeError);
});

test("a run that does not end by itself ends at a limit, with what there is to say", () => {
  const clock = new VirtualClock();
  const again = (): void => void clock.after(1, again);
  again();
  assert.throws(
    () => clock.run({ events: 10 }),
    /does not end: after 10 events 1 are to come, at 10/,
  );
  assert.throws(() => clock.run({ ms: 20.5 }), /the next of 1 events is at 21 ms, .*20.5 ms/);
});
