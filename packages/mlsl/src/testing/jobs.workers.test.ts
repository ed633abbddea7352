/** Whole jobs with progress workers: real ranks and real workers, in both forms. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readAllowedCores } from "../launcher/cores.js";
import { Random } from "../simulation/random.js";
import { FORMS, job, processesWith, texts } from "./jobRun.js";

const MIB = 1048576;

for (const [ranks, form, progressWorkers] of [
  [1, "processes", 1],
  [2, "processes", 1],
  [3, "processes", 2],
  [3, "threads", 1],
] as const) {
  test(`every operation is right between ${ranks} ${form} with ${progressWorkers} workers each`, async () => {
    const outcome = await job("collectivesMain", { ranks, form, progressWorkers });
    assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
    const expected = Array.from({ length: ranks }, (_, r) => {
      return `${r} stdout ${form} rank ${r} of ${ranks}: all is right`;
    });
    assert.deepEqual(texts(outcome), expected);
  });
}

/** Lines of all ranks that have done what they were told. */
function done(ranks: number): string[] {
  return Array.from({ length: ranks }, (_, r) => `${r} stdout done`);
}

for (const form of FORMS) {
  // Six thousand requests under way are the same to threads.
  const tasks = ["computing", "named", "outside", ...(form === "processes" ? ["many"] : [])];
  for (const task of tasks) {
    test(`3 ${form} with workers: ${task}`, async () => {
      const options = { ranks: 3, form, progressWorkers: task === "named" ? 2 : 1 } as const;
      const arenaBytes = task === "outside" ? 4 * MIB : 64 * MIB;
      const outcome = await job("workersMain", { ...options, arenaBytes, args: [task] });
      assert.deepEqual(texts(outcome), done(3), texts(outcome).join("\n"));
      assert.equal(outcome.exitCode, 0);
    });
  }

  test(`a wait that lasts too long names who is missing, 3 ${form} with workers`, async () => {
    const options = { ranks: 3, form, progressWorkers: 1, args: ["timeout"] } as const;
    const lines = texts(await job("workersMain", options));
    for (const rank of [0, 1]) {
      const said = lines.filter((line) => line.startsWith(`${rank} stdout Timed out`));
      assert.equal(said.length, 1, lines.join("\n"));
      assert.match(said[0]!, /Timed out after 200 ms .*allreduce sum of 1 float32.*rank 2 has not/);
    }
  });

  test(`all ranks hear who asked for what, 3 ${form} with workers`, async () => {
    const options = { ranks: 3, form, progressWorkers: 1, args: ["mismatch"] } as const;
    const lines = texts(await job("workersMain", options));
    const said = lines.filter((line) => line.includes("Mismatch"));
    assert.equal(said.length, 3, lines.join("\n"));
    for (const line of said) {
      assert.match(line, /rank 1 asked for allreduce sum of 9 float32 \(sum with preScale 3/);
      assert.match(line, /rank 2 asked for allreduce sum of 8 float32 \(sum with preScale 4/);
    }
  });

  test(`a rank that leaves early is named by those who wait, ${form} with workers`, async () => {
    for (const code of [0, 3]) {
      const args = ["3", "1", String(code)];
      const outcome = await job("stepsMain", { ranks: 3, form, args, progressWorkers: 1 });
      assert.notEqual(outcome.exitCode, 0);
      const errors = texts(outcome).filter((text) => /RankLostError\]?:/.test(text));
      assert.ok(errors.length >= 1, texts(outcome).join("\n"));
      for (const text of errors) {
        assert.match(text, /^[02] stderr .*rank 1 has exited with code \d without taking part/);
      }
    }
  });
}

test("ranks and workers that have nothing to do use less than 2 % of a core", async () => {
  const options = { ranks: 2, form: "processes", progressWorkers: 1, args: ["idle"] } as const;
  const lines = texts(await job("workersMain", options));
  const shares = lines.flatMap((line) => /idle (.*) %/.exec(line)?.[1] ?? []);
  assert.equal(shares.length, 2, lines.join("\n"));
  for (const share of shares) assert.ok(Number(share) < 2, `${share} %`);
});

test("workers that are pinned to a core work as well", async () => {
  const progressCores = readAllowedCores().slice(0, 1);
  const options = { ranks: 2, form: "processes", progressWorkers: 1, progressCores } as const;
  const outcome = await job("workersMain", { ...options, args: ["named"] });
  assert.deepEqual(texts(outcome), done(2));
});

test("a rank with workers killed at any moment ends the job in 2 s, is named, leaves nothing", async (t) => {
  const seed = Date.now() % 100000;
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  for (let i = 0; i < 3; i++) {
    const victim = random.below(3);
    const pids: number[] = [];
    let killedMs = 0;
    const outcome = await job("stepsMain", {
      ranks: 3,
      form: "processes",
      progressWorkers: 1,
      args: ["100000000", "0", "0"],
      env: { MLSL_TEST_MARK: `${process.pid}-w${i}` },
      onSpawn: (rank, pid) => {
        pids[rank] = pid;
        if (pids.filter(Boolean).length < 3) return;
        setTimeout(() => {
          killedMs = performance.now();
          process.kill(pids[victim]!, "SIGKILL");
        }, random.below(1200));
      },
    });
    const tookMs = performance.now() - killedMs;
    assert.ok(tookMs < 2000, `the job ended ${tookMs} ms after the kill`);
    assert.equal(outcome.exitCode, 137);
    assert.equal(outcome.failure?.rank, victim);
    assert.deepEqual(processesWith(`MLSL_TEST_MARK=${process.pid}-w${i}`), []);
  }
});
