import assert from "node:assert/strict";
import { test } from "node:test";
import { playProgram } from "./playProgram.js";
import { planProgram } from "./programPlan.js";
import type { TraceEvent } from "./programProbe.js";

/** How many programs a test run plays: some 25 seconds' worth. */
const PROGRAMS = 2000;

/** Seeds of programs that once failed, with what was wrong. */
const ONCE_FAILED: readonly (readonly [seed: number, what: string])[] = [
  [9, "words that had come early were kept when their group had failed"],
  [80, "bytes on their way to a rank that was lost kept their room in the window"],
  [109, "a word was kept for a request that it had made fail"],
  [453, "a persistent barrier ended before all had begun it again: rounds were not in order"],
  [680, "a persistent barrier ended before all had begun it again: rounds overtook each other"],
  [145455448, "a persistent barrier ended before all had begun it again: its messages were cut"],
  [941, "a group that was opened after one of its ranks was lost did not fail"],
];

test("random programs are right on a faulty network, and leave nothing behind", (t) => {
  const programs = Number(process.env.SIMULATION_SEEDS ?? PROGRAMS);
  assert.ok(programs >= 1, "SIMULATION_SEEDS must be a number of programs");
  const firstSeed = Date.now() % 1e9;
  t.diagnostic(`seeds from ${firstSeed} on`);
  let done = 0;
  let failed = 0;
  for (let seed = firstSeed; seed < firstSeed + programs; seed++) {
    const result = playProgram(planProgram(seed));
    done += result.requestsDone;
    failed += result.requestsFailed;
  }
  t.diagnostic(`${done} requests done, ${failed} failed as they had to`);
  assert.ok(done > 0);
});

for (const [seed, what] of ONCE_FAILED) {
  test(`seed ${seed} is right: ${what}`, () => {
    playProgram(planProgram(seed));
  });
}

test("a program happens again in the same way, event by event", () => {
  for (let seed = 1; seed <= 20; seed++) {
    const play = (): TraceEvent[] => {
      const events: TraceEvent[] = [];
      playProgram(planProgram(seed), (event) => events.push(event));
      return events;
    };
    const first = play();
    assert.ok(first.length > 0);
    assert.deepEqual(play(), first, `seed ${seed}`);
  }
});
