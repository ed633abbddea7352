import assert from "node:assert/strict";
import { test } from "node:test";
import type { TrainingEvent } from "../mnist/events.js";
import { makeRun } from "./fixtures/runs.js";
import { Progress } from "./progress.js";

const run = makeRun({
  ranks: 2,
  ms: [2000, 1000],
  losses: [
    [3, 2],
    [1, 0],
  ],
});
const events: TrainingEvent[] = [
  run.start,
  { kind: "step", epoch: 0, step: 1, loss: 3 },
  ...run.epochs.slice(0, 1),
  { kind: "step", epoch: 1, step: 2, loss: 0 },
  ...run.epochs.slice(1),
  run.done,
];

function show(isTTY: boolean): string {
  let text = "";
  const progress = new Progress({
    isTTY,
    write: (part: string) => {
      text += part;
    },
  });
  for (const event of events) progress.show(event);
  progress.print("a line of a rank");
  return text;
}

/** What a terminal shows in the end: each line as it was written last. */
function screen(text: string): string[] {
  return text.split("\n").map((line) => line.split("\x1b[2K").at(-1) ?? "");
}

test("elsewhere than on a terminal there is a line for each epoch and nothing else", () => {
  assert.equal(
    show(false),
    "lenet on 2 ranks: 2 epochs of 1000 digits, 64 a step\n" +
      "  2 ranks epoch 1  loss 2.5000  2.00 s  500 images/s\n" +
      "  2 ranks epoch 2  loss 0.5000  1.00 s  1000 images/s\n" +
      "a line of a rank\n",
  );
});

test("on a terminal the bar fills and is gone in the end", () => {
  const text = show(true);
  assert.match(text, / 25 % {2}epoch 1\/2 {2}loss 3\.0000/);
  assert.match(text, / 100 % {2}epoch 2\/2 {2}loss 0\.0000/);
  assert.deepEqual(screen(text), show(false).split("\n"));
});
