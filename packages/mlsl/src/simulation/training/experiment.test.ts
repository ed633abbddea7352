import assert from "node:assert/strict";
import { test } from "node:test";
import {
  batchesFor,
  ETHERNET_10,
  EXPERIMENT_CHUNK_BYTES,
  type ExperimentSetting,
  runCase,
} from "./experiment.js";
import { findNet } from "./nets.js";

const SETTING: ExperimentSetting = {
  ...ETHERNET_10,
  chunkBytes: EXPERIMENT_CHUNK_BYTES,
  ...{ warmUp: 1, measured: 1, skew: 0, seed: 1 },
};

test("nets whose backward pass hides everything are run with fewer samples as well", () => {
  const { bandwidthGBps } = ETHERNET_10;
  const of = (name: string) => batchesFor(findNet(name), 16, bandwidthGBps);
  assert.deepEqual(["vgg16", "resnet50", "alexnet", "googlenet"].map(of), [
    [64, 32],
    [64, 8],
    [64],
    [64, 4],
  ]);
});

test("on GoogLeNet the first layer waits three times less than oldest first, near the bound", () => {
  const net = findNet("googlenet");
  const one = { net, nodes: 8, batch: 2 };
  const fifo = runCase({ ...one, mode: "fifo" }, SETTING, undefined);
  const priority = runCase({ ...one, mode: "priority" }, SETTING, fifo);
  assert.equal(fifo.first_less_than_fifo, null);
  assert.ok(fifo.communication_ms > fifo.backward_ms);
  assert.ok(priority.first_less_than_fifo! > 3, JSON.stringify(priority));
  assert.ok(priority.step_ms < fifo.step_ms);
  for (const { step_ms, bound_ms, pipeline_bound_ms } of [fifo, priority]) {
    assert.ok(step_ms >= pipeline_bound_ms && pipeline_bound_ms >= bound_ms);
  }
});
