import assert from "node:assert/strict";
import { test } from "node:test";
import { localJob } from "../testing/localJob.js";
import { clockCostMs, measure, rehearse } from "./measure.js";
import type { Workload } from "./workload.js";

/** What a call takes by the clock of these tests, and what all else takes. */
const CALL_MS = 2;
const REST_MS = 1000;

function recorded() {
  const events: string[] = [];
  let clockMs = 0;
  const step = (event: string, ms: number): void => {
    events.push(event);
    clockMs += ms;
  };
  const workload: Workload = {
    hasInputs: true,
    fill: (round) => step(`fill ${round}`, REST_MS),
    call: () => step("call", CALL_MS),
    check: (round) => step(`check ${round}`, REST_MS),
    free: () => undefined,
  };
  return { events, workload, nowMs: () => clockMs };
}

test("X-6 buffers are altered before every call, outside the timed part; every result is checked", () => {
  const { events, workload, nowMs } = recorded();
  const [group] = localJob({ ranks: 1 });
  const before = group!.statistics.operations;
  const timing = measure(group!, workload, { budgetMs: 100, distanceNs: () => 5, nowMs });
  assert.deepEqual(timing, {
    iterations: 50,
    ...{ minUs: 2000, medianUs: 2000, p99Us: 2000, skewUs: 0, rankUs: [2000] },
    c2cNs: 5,
  });
  const rounds = events.length / 3;
  const expected = Array.from({ length: rounds }, (_, i) => [`fill ${i}`, "call", `check ${i}`]);
  assert.deepEqual(events, expected.flat());
  // A barrier behind each fill; one all-reduce to agree, one gather of the times.
  assert.equal(group!.statistics.operations - before, rounds + 2);
});

test("the larger distance is told, and few calls are made where they take long", () => {
  const { workload, nowMs } = recorded();
  const distances = [70, 50];
  const distanceNs = (): number => distances.shift()!;
  const [group] = localJob({ ranks: 1 });
  const timing = measure(group!, workload, { budgetMs: 1, distanceNs, nowMs });
  assert.equal(timing?.iterations, 8);
  assert.equal(timing?.c2cNs, 70);
});

test("a wrong result ends the measurement", () => {
  const { workload, nowMs } = recorded();
  const wrong = new Error("wrong");
  const check = (round: number): void => {
    if (round === 60) throw wrong;
  };
  const options = { budgetMs: 100, distanceNs: () => 0, nowMs };
  const [group] = localJob({ ranks: 1 });
  assert.throws(() => measure(group!, { ...workload, check }, options), wrong);
});

test("a rehearsal alters, calls and checks as a measurement does, for a fifth of its time", () => {
  const { events, workload, nowMs } = recorded();
  const [group] = localJob({ ranks: 1 });
  rehearse(group!, workload, { budgetMs: 100, nowMs });
  // 8 calls to know how long one takes, then 100 ms / 5 / 2 ms.
  const expected = Array.from({ length: 8 + 10 }, (_, i) => [`fill ${i}`, "call", `check ${i}`]);
  assert.deepEqual(events, expected.flat());
});

test("what asking the clock costs is known, and is taken off each call", () => {
  let ms = 0;
  let looks = 0;
  // Some looks take longer, as if something had come between.
  const clock = () => {
    ms += [5, 1, 3][looks++ % 3]!;
    return ms;
  };
  assert.equal(clockCostMs(clock), 1);
  const [group] = localJob({ ranks: 1 });
  const { workload, nowMs } = recorded();
  const options = { budgetMs: 1, distanceNs: () => 0, nowMs };
  const plain = measure(group!, workload, options)!;
  const less = measure(group!, workload, { ...options, clockMs: plain.minUs / 2000 })!;
  assert.ok(Math.abs(less.minUs - plain.minUs / 2) < 1e-9);
  const nothing = measure(group!, workload, { ...options, clockMs: plain.minUs })!;
  assert.equal(nothing.minUs, 0);
});
