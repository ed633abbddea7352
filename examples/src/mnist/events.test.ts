import assert from "node:assert/strict";
import { test } from "node:test";
import { formatEvent, parseEvent, type TrainingEvent } from "./events.js";

test("an event survives its line, and other lines are none", () => {
  const event: TrainingEvent = {
    kind: "epoch",
    epoch: 2,
    ms: 1234.5,
    fastestStepMs: 5,
    exposedMsPerStep: 0.25,
    losses: [0.1 + 0.2, 1 / 3, 5e-324],
  };
  const line = formatEvent(event);
  assert.ok(!line.includes("\n"));
  assert.deepEqual(parseEvent(line), event);
  for (const other of ["", "epoch 1", "{}", ` ${line}`]) assert.equal(parseEvent(other), undefined);
});
