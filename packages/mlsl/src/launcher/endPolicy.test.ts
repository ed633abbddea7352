import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { describeEnd, type EndAction, EndPolicy, exitCodeOf, type RankEnd } from "./endPolicy.js";

const OK: RankEnd = { kind: "exited", code: 0 };
const CODE_3: RankEnd = { kind: "exited", code: 3 };
const KILLED: RankEnd = { kind: "signalled", signal: "SIGKILL" };
/** No job takes longer to end than this. */
const LIMIT_MS = 2000;

function say(text: string): EndAction {
  return { kind: "say", text };
}

function send(signal: NodeJS.Signals, ...ranks: number[]): EndAction {
  return { kind: "signal", signal, ranks };
}

test("each way to end has an exit code and words", () => {
  const cases: [RankEnd, number, string][] = [
    [CODE_3, 3, "rank 1 exited with code 3"],
    [KILLED, 137, "rank 1 was killed by SIGKILL"],
    [{ kind: "signalled", signal: "SIGSEGV" }, 139, "rank 1 was killed by SIGSEGV"],
    [{ kind: "threw", message: "no" }, 1, "rank 1 threw: no"],
    [{ kind: "notStarted", message: "EAGAIN" }, 1, "rank 1 could not be started: EAGAIN"],
  ];
  for (const [end, code, words] of cases) {
    assert.equal(exitCodeOf(end), code);
    assert.equal(describeEnd(1, end), words);
  }
});

test("a job whose ranks all exit with 0 says nothing and ends with 0", () => {
  const policy = new EndPolicy(3);
  for (const rank of [1, 0, 2]) {
    assert.equal(policy.finished, false);
    assert.deepEqual(policy.rankEnded(rank, OK, 5000 * rank), []);
    assert.equal(policy.deadlineMs, undefined);
  }
  assert.equal(policy.finished, true);
  assert.deepEqual(policy.outcome, { exitCode: 0, failure: undefined });
});

test("HVD-4: the first failure is announced and is the job's; later ones are consequences", () => {
  const policy = new EndPolicy(3);
  const actions = policy.rankEnded(1, KILLED, 100);
  assert.deepEqual(actions, [say("rank 1 was killed by SIGKILL; ending the other ranks")]);
  assert.deepEqual(policy.rankEnded(0, CODE_3, 200), []);
  assert.deepEqual(policy.rankEnded(2, OK, 300), []);
  assert.equal(policy.finished, true);
  assert.equal(policy.outcome.exitCode, 137);
  assert.equal(policy.outcome.failure?.rank, 1);
  assert.equal(policy.outcome.failure?.message, "rank 1 was killed by SIGKILL");
});

test("HVD-4: a failure names the ranks that ended in peace before it", () => {
  const policy = new EndPolicy(3);
  policy.rankEnded(2, OK, 0);
  assert.deepEqual(policy.rankEnded(0, CODE_3, 1), [
    say("rank 0 exited with code 3 after rank 2 had exited with code 0; ending the other ranks"),
  ]);
  const many = new EndPolicy(64);
  for (let rank = 1; rank < 64; rank++) many.rankEnded(rank, OK, 0);
  assert.deepEqual(many.rankEnded(0, CODE_3, 1), [
    say("rank 0 exited with code 3 after 63 ranks had exited with code 0"),
  ]);
});

test("after a failure: a second of grace, SIGTERM, SIGKILL, and no more waiting", () => {
  const policy = new EndPolicy(4);
  policy.rankEnded(1, CODE_3, 100);
  assert.equal(policy.deadlineMs, 1100);
  assert.deepEqual(policy.advance(1099), []);
  assert.deepEqual(policy.advance(1100), [send("SIGTERM", 0, 2, 3)]);
  assert.deepEqual(policy.advance(1100), []);
  policy.rankEnded(2, OK, 1200);
  assert.equal(policy.deadlineMs, 1700);
  assert.deepEqual(policy.advance(1700), [say("killing ranks 0, 3"), send("SIGKILL", 0, 3)]);
  policy.rankEnded(0, KILLED, 1710);
  assert.deepEqual(policy.advance(1850), [say("rank 3 did not end even when killed")]);
  assert.equal(policy.finished, true);
  assert.deepEqual(policy.live, [3]);
  assert.equal(policy.outcome.exitCode, 3);
});

test("a late clock tick does all that has become due, in order", () => {
  const policy = new EndPolicy(2);
  policy.rankEnded(0, CODE_3, 0);
  const signals = policy.advance(60_000).filter((action) => action.kind === "signal");
  assert.deepEqual(signals, [send("SIGTERM", 1), send("SIGKILL", 1)]);
  assert.equal(policy.finished, true);
});

test("a signal is passed on first; the exit code is its own, whatever the ranks return", () => {
  const policy = new EndPolicy(2);
  assert.deepEqual(policy.interrupt("SIGINT", 0), [
    say("SIGINT was received and passed on to the ranks; press Ctrl-C again to kill them at once"),
    send("SIGINT", 0, 1),
  ]);
  assert.deepEqual(policy.advance(1000), [send("SIGTERM", 0, 1)]);
  policy.rankEnded(0, OK, 1001);
  policy.rankEnded(1, CODE_3, 1002);
  assert.deepEqual(policy.outcome, { exitCode: 130, failure: undefined });
});

test("the second signal kills at once, also during the end of a failed job", () => {
  const policy = new EndPolicy(2);
  policy.interrupt("SIGTERM", 0);
  assert.deepEqual(policy.interrupt("SIGTERM", 199), [], "one event, delivered twice");
  assert.deepEqual(policy.interrupt("SIGTERM", 200), [
    say("killing ranks 0, 1"),
    send("SIGKILL", 0, 1),
  ]);
  assert.equal(policy.outcome.exitCode, 143);
  const failed = new EndPolicy(2);
  failed.rankEnded(0, CODE_3, 0);
  assert.deepEqual(failed.interrupt("SIGINT", 10), [say("killing rank 1"), send("SIGKILL", 1)]);
  assert.equal(failed.outcome.exitCode, 3);
  failed.rankEnded(1, KILLED, 12);
  assert.deepEqual(failed.interrupt("SIGINT", 13), []);
});

test("a closed output ends the job without a word", () => {
  const policy = new EndPolicy(2);
  assert.deepEqual(policy.interrupt("SIGPIPE", 0), [send("SIGTERM", 0, 1)]);
  assert.equal(policy.outcome.exitCode, 141);
});

test("whatever happens in whatever order, a job is over within 2 s of its first trouble", () => {
  const end = fc.constantFrom(OK, CODE_3, KILLED);
  const event = fc.record({
    afterMs: fc.nat(700),
    rank: fc.nat(3),
    end,
    interrupt: fc.constantFrom(undefined, undefined, "SIGINT" as const),
  });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 12 }), (events) => {
      const policy = new EndPolicy(4);
      let now = 0;
      let troubleMs: number | undefined;
      for (const { afterMs, rank, end: how, interrupt } of events) {
        now += afterMs;
        policy.advance(now);
        if (policy.finished) break;
        if (interrupt !== undefined) policy.interrupt(interrupt, now);
        else if (policy.live.includes(rank)) policy.rankEnded(rank, how, now);
        if (policy.outcome.exitCode !== 0) troubleMs ??= now;
        assert.ok((policy.deadlineMs ?? now) - (troubleMs ?? now) < LIMIT_MS);
      }
      if (troubleMs === undefined) return;
      policy.advance(troubleMs + LIMIT_MS);
      assert.equal(policy.finished, true);
      assert.equal(policy.deadlineMs, undefined);
    }),
  );
});
