/** Whole jobs: real ranks, started by the launcher, in both forms. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../simulation/random.js";
import { FORMS, job, processesWith, texts } from "./jobRun.js";

for (const form of FORMS) {
  for (const ranks of [1, 2, 3, 5]) {
    test(`every operation is right between ${ranks} ${form}, however they wait`, async () => {
      const outcome = await job("collectivesMain", { ranks, form, args: [] });
      assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
      const expected = Array.from({ length: ranks }, (_, r) => {
        return `${r} stdout ${form} rank ${r} of ${ranks}: all is right`;
      });
      assert.deepEqual(texts(outcome), expected);
    });
  }

  test(`HVD-4 GLO-1 a rank that leaves early is named by those who wait, ${form}`, async () => {
    for (const code of [0, 3]) {
      const args = ["3", "1", String(code)];
      const outcome = await job("stepsMain", { ranks: 3, form, args });
      assert.notEqual(outcome.exitCode, 0);
      if (code !== 0) assert.equal(outcome.exitCode, code);
      const errors = texts(outcome).filter((text) => /RankLostError\]?:/.test(text));
      assert.ok(errors.length >= 1, texts(outcome).join("\n"));
      for (const text of errors) {
        assert.match(text, /^[02] stderr .*rank 1 has exited with code \d without taking part/);
      }
    }
  });

  test(`the plain kernels serve a whole job, ${form}`, async () => {
    const env = { MLSL_KERNELS: "plain" };
    const outcome = await job("collectivesMain", { ranks: 2, form, env });
    assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
  });
}

test("HVD-4 a rank killed at any moment ends the job in 2 s, is named, and leaves nothing", async (t) => {
  const seed = Date.now() % 100000;
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  for (let i = 0; i < 6; i++) {
    const victim = random.below(3);
    const mark = `MLSL_TEST_MARK=${process.pid}-${i}`;
    const pids: number[] = [];
    let killedMs = 0;
    const outcome = await job("stepsMain", {
      ranks: 3,
      form: "processes",
      args: ["100000000", "0", "0"],
      env: { MLSL_TEST_MARK: `${process.pid}-${i}` },
      onSpawn: (rank, pid) => {
        pids[rank] = pid;
        if (pids.filter(Boolean).length < 3) return;
        setTimeout(() => {
          killedMs = performance.now();
          process.kill(pids[victim]!, "SIGKILL");
        }, random.below(900));
      },
    });
    const tookMs = performance.now() - killedMs;
    assert.ok(tookMs < 2000, `the job ended ${tookMs} ms after the kill`);
    assert.equal(outcome.exitCode, 137);
    assert.equal(outcome.failure?.rank, victim);
    assert.match(outcome.messages.join("\n"), new RegExp(`rank ${victim} was killed by SIGKILL`));
    assert.deepEqual(processesWith(mark), []);
  }
});
