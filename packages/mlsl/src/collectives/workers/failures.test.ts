import assert from "node:assert/strict";
import { test } from "node:test";
import { MismatchError, RankLostError, TimeoutError } from "../../errors/communicationErrors.js";
import { soloSegment } from "../../memory/segment.js";
import { errorOf } from "./failures.js";

const at = { group: "half", rank: 1, operation: "barrier", sequence: 7 };
const place = { segment: soloSegment(), members: [4, 0], at };

test("failures become the errors that callers know", () => {
  const timeout = { kind: "timeout", match: 1, timeoutMs: 9, rank: 0, missing: [1] } as const;
  const late = errorOf(timeout, place);
  assert.ok(late instanceof TimeoutError);
  assert.deepEqual(late.missing, [1]);
  const lost = errorOf({ kind: "lost", rank: 0, reason: "" }, place);
  assert.ok(lost instanceof RankLostError);
  assert.equal(lost.lost[0]!.rank, 1, "numbers are those of the group");
  const bad = errorOf({ kind: "badMessage", rank: 4, reason: "nonsense" }, place);
  assert.match(bad.message, /rank 1, group "half", operation 7 \(barrier\): rank 0 sent nonsense/);
});

test("a mismatch says what each rank has asked for, with the words behind its hash", () => {
  const asked = [
    { rank: 1, fingerprint: `${1 + 256 * 3}.8.0.55|name "a|b"` },
    { rank: 0, fingerprint: "4.0.0.0" },
  ];
  const error = errorOf({ kind: "mismatch", match: 0, asked }, place);
  assert.ok(error instanceof MismatchError);
  assert.deepEqual(error.requested, ["barrier", 'allreduce sum of 8 float32 (name "a|b")']);
  const pairs = errorOf({ kind: "mismatch", match: 0, asked: [], pairs: ["0→1: 2 sent"] }, place);
  assert.match(pairs.message, /Mismatch at .*: 0→1: 2 sent$/);
});
