import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { readAllowedCores } from "./cores.js";
import { FORMS, fixture, runFixture, textOf } from "./fixtures/support.js";
import { linePrefix } from "./jobOutput.js";
import { launch } from "./launch.js";
import type { RankForm } from "./launchOptions.js";

/** HVD-4 wants a job to end within 5 s of a failure; this launcher promises 2 s. */
const LIMIT_SECONDS = 5;

interface Report {
  readonly args: string[];
  readonly script: string;
  readonly execArgv: string[];
  readonly isMainThread: boolean;
  readonly allowed: string;
  readonly env: Record<string, string | undefined>;
}

/** What rank 1 of the fixture "failing" prints and comes to. */
function expectedFailure(
  form: RankForm,
  how: string,
): [error: RegExp, code: number, words: string] {
  if (how === "3") return [/^$/, 3, "exited with code 3"];
  const message = how === "throw" ? "loss is not a number" : "no such file";
  const words = form === "threads" ? `threw: ${message}` : "exited with code 1";
  return [new RegExp(`Error: ${message}\\n +at .*failing\\.[jt]s`), 1, words];
}

async function checkFailing(form: RankForm, how: string): Promise<void> {
  const run = await runFixture("failing", ["1", how], { form, ranks: 3 });
  const [error, code, words] = expectedFailure(form, how);
  assert.equal(run.result.exitCode, code);
  assert.deepEqual(run.messages, [`rank 1 ${words}; ending the other ranks`]);
  assert.equal(run.result.failure?.rank, 1);
  assert.equal(run.result.failure?.message, `rank 1 ${words}`);
  assert.match(textOf(run, 1, "stderr").join("\n"), error);
  assert.ok(run.result.seconds < LIMIT_SECONDS);
  assert.deepEqual(run.left, []);
}

for (const form of FORMS) {
  test(`${form}: rank 0 reads what it is given, and the others nothing`, async () => {
    const input = Readable.from(["one line\n", "and another"]);
    const run = await runFixture("reading", [], { form, ranks: 2, input });
    assert.equal(run.result.exitCode, 0);
    assert.deepEqual(textOf(run, 0, "stdout"), ['read "one line\\nand another"']);
    assert.deepEqual(textOf(run, 1, "stdout"), ['read ""']);
  });

  test(`${form}: every rank gets its number, arguments and variables`, async () => {
    const args = ["--flag", "-n", "9", "two words"];
    const run = await runFixture("report", args, { form, ranks: 3, env: { OMP_NUM_THREADS: "7" } });
    assert.equal(run.result.exitCode, 0);
    assert.equal(run.result.form, form);
    assert.equal(run.result.failure, undefined);
    assert.deepEqual(run.result.leftRunning, []);
    assert.deepEqual(run.messages, []);
    assert.deepEqual(run.left, []);
    for (let rank = 0; rank < 3; rank++) {
      const report = JSON.parse(textOf(run, rank, "stdout").join("")) as Report;
      assert.deepEqual(report.args, args);
      assert.equal(report.script, fixture("report"));
      assert.deepEqual(report.execArgv, []);
      assert.equal(report.isMainThread, form === "processes");
      assert.equal(report.env.MLSL_RANK, String(rank));
      assert.equal(report.env.MLSL_RANKS, "3");
      assert.equal(report.env.MLSL_SEGMENT_FD, form === "processes" ? "3" : undefined);
      assert.equal(report.env.OMP_NUM_THREADS, "7");
      assert.deepEqual(textOf(run, rank, "stderr"), ["to stderr"]);
    }
  });

  test(`${form}: X-7: ranks are pinned to different cores where there are enough`, async () => {
    const cores = readAllowedCores();
    const ranks = Math.min(cores.length, 2);
    const pinned = await runFixture("report", [], { form, ranks });
    const free = await runFixture("report", [], { form, ranks, pin: false });
    for (let rank = 0; rank < ranks; rank++) {
      const report = JSON.parse(textOf(pinned, rank, "stdout").join("")) as Report;
      assert.equal(report.allowed, String(cores[rank]));
      assert.equal(report.env.MLSL_CORE, String(cores[rank]));
      const other = JSON.parse(textOf(free, rank, "stdout").join("")) as Report;
      assert.equal(other.env.MLSL_CORE, undefined);
      assert.ok(ranks === 1 || other.allowed !== report.allowed);
    }
  });

  test(`${form}: CCL-9: without taskset one rank warns and all go on`, async () => {
    const run = await runFixture("report", [], { form, ranks: 1, env: { PATH: "/nowhere" } });
    assert.equal(run.result.exitCode, 0);
    assert.match(textOf(run, 0, "stderr").join("\n"), /taskset was not found.*going on unpinned/);
  });

  test(`${form}: HVD-4: a rank that fails, however, takes the others with it`, async () => {
    await Promise.all(["3", "throw", "reject"].map((how) => checkFailing(form, how)));
  });

  test(`${form}: HVD-4: peers see how a rank ended, and report before they end`, async () => {
    const run = await runFixture("noticing", ["2", "5"], { form, ranks: 3 });
    assert.equal(run.result.exitCode, 5);
    assert.deepEqual(run.messages, ["rank 2 exited with code 5; ending the other ranks"]);
    for (const rank of [0, 1]) {
      assert.match(textOf(run, rank, "stderr").join("\n"), /noticed {"kind":"exited","code":5}/);
    }
    assert.deepEqual(run.left, []);
  });

  test(`${form}: HVD-4: a rank that exits with 0 too early is seen by its peers`, async () => {
    const run = await runFixture("noticing", ["1", "0"], { form, ranks: 2 });
    assert.equal(run.result.exitCode, 1);
    assert.equal(run.result.failure?.rank, 0);
    assert.match(run.messages.join("\n"), /^rank 0 .* after rank 1 had exited with code 0$/);
    assert.match(textOf(run, 0, "stderr").join("\n"), /noticed {"kind":"exited","code":0}/);
  });

  test(`${form}: lines arrive whole and in order, the last one without a newline too`, async () => {
    const count = 3000;
    const run = await runFixture("flooding", [String(count)], { form, ranks: 2 });
    const expected = Array.from({ length: count }, (_, i) => `${i}:${"é€😀x".repeat(i % 40)}`);
    for (const rank of [0, 1]) assert.deepEqual(textOf(run, rank, "stdout"), [...expected, "end"]);
  });

  test(`${form}: what a rank starts with Node's means is no rank`, async () => {
    const run = await runFixture("forking", [], { form, ranks: 1 });
    assert.equal(run.result.exitCode, 0);
    const expected = ["fork ended with 0", "thread"];
    const mine = form === "processes" ? ["child", ...expected] : ["thread"];
    assert.deepEqual(textOf(run, 0, "stdout").toSorted(), mine);
    assert.deepEqual(textOf(run, 0, "stderr"), []);
  });

  test(`${form}: an aborted signal ends the job like SIGTERM`, async () => {
    const controller = new AbortController();
    const run = await runFixture("failing", ["none", "0"], {
      form,
      ranks: 2,
      signal: controller.signal,
      onSpawn: (rank, pid) => {
        assert.ok(pid > 0);
        if (rank === 1) controller.abort();
      },
    });
    assert.equal(run.result.exitCode, 143);
    assert.equal(run.result.failure, undefined);
    assert.deepEqual(run.left, []);
  });

  test(`${form}: an option that Node refuses is a failed rank`, async () => {
    const nodeArgs = ["--no-such-option"];
    const run = await runFixture("report", [], { form, ranks: 2, nodeArgs });
    assert.equal(run.result.exitCode, form === "threads" ? 1 : 9);
    assert.match(run.messages.join("\n"), /^rank \d (could not be started|exited with code 9)/);
  });
}

test("HVD-4: a rank that is killed by a signal ends the job with 128 and its number", async () => {
  const run = await runFixture("failing", ["2", "kill"], { form: "processes", ranks: 4 });
  assert.equal(run.result.exitCode, 137);
  assert.deepEqual(run.messages, ["rank 2 was killed by SIGKILL; ending the other ranks"]);
  assert.ok(run.result.seconds < LIMIT_SECONDS);
  assert.deepEqual(run.left, []);
});

test("what a rank leaves in its process group ends with it, and holds nothing up", async () => {
  const run = await runFixture("grandchild", [], { form: "processes", ranks: 2 });
  assert.equal(run.result.exitCode, 0);
  assert.equal(run.lines.length, 2);
  assert.ok(run.result.seconds < LIMIT_SECONDS);
  assert.deepEqual(run.left, []);
});

test("a process that left the group lives on, and the job does not wait for it", async () => {
  const run = await runFixture("grandchild", ["detached"], { form: "processes", ranks: 1 });
  const pid = Number(textOf(run, 0, "stdout")[0]);
  process.kill(pid, "SIGKILL");
  assert.equal(run.result.exitCode, 0);
  assert.deepEqual(run.left, [pid]);
  assert.ok(run.result.seconds < LIMIT_SECONDS);
});

test("a job that was aborted before it began is not started", async () => {
  const signal = AbortSignal.abort(new Error("not today"));
  const onSpawn = () => assert.fail("started");
  const script = fixture("report");
  await assert.rejects(launch({ script, ranks: 1, signal, onSpawn }), /not today/);
});

test("prefixes are as wide as the largest rank", () => {
  assert.equal(linePrefix(0, 1), "[0] ");
  assert.equal(linePrefix(9, 10), "[9] ");
  assert.equal(linePrefix(9, 11), "[ 9] ");
  assert.equal(linePrefix(10, 11), "[10] ");
});
