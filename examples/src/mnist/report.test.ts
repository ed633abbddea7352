import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEvent, type StepEvent } from "./events.js";
import { createReporter } from "./report.js";

const step: StepEvent = { kind: "step", epoch: 0, step: 1, loss: 2 };

test("programs get events, of many steps only the first", () => {
  const lines: string[] = [];
  const report = createReporter(true, (line) => lines.push(line));
  report(step);
  report({ ...step, step: 2 });
  report({ kind: "done", testAccuracy: 0.5, bitEqual: true, weightsHash: "00" });
  assert.deepEqual(
    lines.map((line) => parseEvent(line)?.kind),
    ["step", "done"],
  );
});

test("people get lines, of steps none", () => {
  const lines: string[] = [];
  const report = createReporter(false, (line) => lines.push(line));
  report(step);
  report({
    kind: "epoch",
    epoch: 0,
    ms: 1500,
    fastestStepMs: 5,
    exposedMsPerStep: 0,
    losses: [1, 2],
  });
  report({ kind: "done", testAccuracy: 0.975, bitEqual: false, weightsHash: "00" });
  assert.deepEqual(lines, [
    "epoch 1: loss 1.5000, 1.50 s",
    "97.50 % of the test digits are read correctly; the ranks' weights are not bit-equal",
  ]);
});
