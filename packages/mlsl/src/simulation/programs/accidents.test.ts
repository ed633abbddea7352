import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFailure, mustFail } from "./accidents.js";
import { type Accident, type ProgramPlan, planProgram } from "./programPlan.js";

const collectives = planProgram(1).collectives.slice(0, 1);

/** Three groups, and a collective in each of the first two. */
function planWith(accident?: Accident): ProgramPlan {
  const first = collectives[0]!;
  return {
    ...planProgram(1),
    groups: [
      [0, 1, 2, 3],
      [0, 1],
      [2, 3],
    ],
    collectives: [0, 1, 2].map((group) => ({ ...first, group })),
    ...(accident !== undefined && { accident }),
  };
}

const lost = { kind: "lost", rank: 3, reason: "" } as const;
const mismatch = { kind: "mismatch", match: 0, asked: [] } as const;
const timeout = { kind: "timeout", match: 0, timeoutMs: 1, rank: 0, missing: [] } as const;

test("without an accident nothing may fail", () => {
  assert.match(checkFailure(planWith(), 0, lost)!, /has failed: .*"lost"/);
});

test("the groups of a dead rank fail because of it, and no others", () => {
  const plan = planWith({ kind: "death", rank: 3, atMs: 1 });
  assert.equal(checkFailure(plan, 0, lost), undefined);
  assert.equal(checkFailure(plan, 2, lost), undefined);
  assert.notEqual(checkFailure(plan, 1, lost), undefined);
  assert.notEqual(checkFailure(plan, 0, { ...lost, rank: 2 }), undefined);
  assert.notEqual(checkFailure(plan, 0, timeout), undefined);
});

test("the groups of both ends of a lost connection fail because of one of them", () => {
  const plan = planWith({ kind: "disconnect", ranks: [1, 3], atMs: 1 });
  assert.equal(checkFailure(plan, 0, lost), undefined);
  assert.equal(checkFailure(plan, 0, { ...lost, rank: 1 }), undefined);
  assert.notEqual(checkFailure(plan, 2, lost), undefined);
});

test("ranks that do not agree or do not come fail their group, and the collective on all ranks", () => {
  const apart = planWith({ kind: "mismatch", collective: 1, ranks: [0] });
  assert.equal(checkFailure(apart, 1, mismatch), undefined);
  assert.notEqual(checkFailure(apart, 1, lost), undefined);
  assert.notEqual(checkFailure(apart, 0, mismatch), undefined);
  const absent = planWith({ kind: "absent", collective: 1, rank: 0 });
  assert.equal(checkFailure(absent, 1, timeout), undefined);
  assert.notEqual(checkFailure(absent, 1, mismatch), undefined);
  for (const plan of [apart, absent]) {
    assert.deepEqual(
      [0, 1, 2].map((collective) => mustFail(plan, collective)),
      [false, true, false],
    );
  }
  assert.equal(mustFail(planWith({ kind: "death", rank: 0, atMs: 0 }), 0), false);
});
