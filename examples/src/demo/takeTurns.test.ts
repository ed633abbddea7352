import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRun } from "./fixtures/runs.js";
import { type StartTraining, takeTurns } from "./takeTurns.js";

const RUN = makeRun({ ranks: 1, ms: [1, 1], losses: [[1], [1]] });

/** A training that writes down its turns. */
function training(name: string, log: string[]): StartTraining {
  return async ({ turns, onEvent }) => {
    const lines = turns[Symbol.asyncIterator]();
    onEvent(RUN.start);
    for (const event of [...RUN.epochs, RUN.done]) {
      await lines.next();
      log.push(`${name} ${event.kind}`);
      onEvent(event);
    }
    return RUN;
  };
}

test("trainings take turns, the first one first", async () => {
  const log: string[] = [];
  const start = [training("few", log), training("many", log)] as const;
  assert.deepEqual(await takeTurns(start, new AbortController().signal), [RUN, RUN]);
  assert.deepEqual(log, [
    "few epoch",
    "many epoch",
    "few epoch",
    "many epoch",
    "few done",
    "many done",
  ]);
});

test("when one fails, the other one is ended, and the failure is told", async () => {
  const waiting: StartTraining = ({ signal }) => {
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(new Error("ended")));
    });
  };
  const failing: StartTraining = () => Promise.reject(new Error("failed"));
  const { signal } = new AbortController();
  await assert.rejects(takeTurns([waiting, failing], signal), /failed/);
  await assert.rejects(takeTurns([failing, waiting], signal), /failed/);
});
