import assert from "node:assert/strict";
import { test } from "node:test";
import { loadCharts } from "../bench/plot.js";
import type { TrainingLine } from "../simulation/training/experiment.js";
import { drawTraining } from "./trainingChart.js";

function line(change: Partial<TrainingLine>): TrainingLine {
  return {
    ...{ net: "vgg16", nodes: 16, batch: 64, mode: "fifo", events: 5 },
    ...{ compute_ms: 1, backward_ms: 1, communication_ms: 1, step_ms: 1 },
    ...{ exposed_first_ms: 37.5, exposed_ms: 1, bound_ms: 1, pipeline_bound_ms: 1 },
    ...{ step_to_bound: 1.25, first_less_than_fifo: null },
    ...change,
  };
}

test("the picture has a group of bars for each case, and says what they are", async () => {
  const lines = [line({}), line({ mode: "priority", exposed_first_ms: 1.2 }), line({ nodes: 64 })];
  const svg = drawTraining(await loadCharts(), lines);
  assert.match(svg, /^<svg [\s\S]*<\/svg>$/);
  for (const text of [
    ...["fifo", "lifo", "priority", "37.5", "1.2", "1.25"],
    ...["vgg16, 16 nodes, 64 each", "vgg16, 64 nodes, 64 each"],
    ...["the first layer waits, ms", "iteration / lower bound"],
  ]) {
    assert.ok(svg.includes(`>${text}<`), text);
  }
});
