import assert from "node:assert/strict";
import { test } from "node:test";
import type { TrainingLine } from "./experiment.js";
import { trainingHeader, trainingRow } from "./table.js";

const LINE: TrainingLine = {
  ...{ net: "resnet50", nodes: 64, batch: 8, mode: "priority", events: 5 },
  ...{ compute_ms: 121.25, backward_ms: 80.83, communication_ms: 160.67, step_ms: 164.4 },
  ...{ exposed_first_ms: 1.5, exposed_ms: 43.11, bound_ms: 160.67, pipeline_bound_ms: 160.7 },
  ...{ step_to_bound: 1.0232, first_less_than_fifo: 56.04 },
};

test("values stand below their heads", () => {
  const [header, row] = [trainingHeader(), trainingRow(LINE)];
  assert.equal(row.length, header.length);
  for (const [head, value] of [
    ["order", "priority"],
    ["/ bound", "1.023"],
    ["first ms", "1.500"],
    ["fifo / this", "56.0"],
  ] as const) {
    assert.equal(row.indexOf(value) + value.length, header.indexOf(head) + head.length, head);
  }
});

test("without a line to compare with there is no ratio", () => {
  const row = trainingRow({ ...LINE, first_less_than_fifo: null });
  assert.match(row, /1\.500 +$/);
});
