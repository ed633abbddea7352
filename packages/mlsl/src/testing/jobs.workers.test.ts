/** Whole jobs with progress workers: real ranks and real workers, in both forms. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FORMS, job, texts } from "./jobRun.js";

for (const form of FORMS) {
  for (const [ranks, progressWorkers] of [
    [1, 1],
    [2, 1],
    [3, 1],
    [3, 2],
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
}
