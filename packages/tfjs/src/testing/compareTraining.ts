/** What data-parallel training promises, checked. */

import assert from "node:assert/strict";
import { init } from "mlsl";
import { type TrainInput, type TrainOutput, trainModel } from "../fixtures/train.js";
import { resultsOf } from "./ranks.js";

const { world } = await init();

/** Script of a rank that trains. */
export const SCRIPT: URL = new URL("../fixtures/trainRank.js", import.meta.url);

/** Training to begin with. */
export const BASE: TrainInput = {
  backend: "cpu",
  model: "mlp",
  optimizer: "sgd",
  samples: 32,
  batchSize: 4,
  epochs: 3,
  by: "fit",
};

/**
 * Several ranks against one rank with all their batches in one: the same weights, steps and logs.
 *
 * @param jointBatchSize that of the one rank, where the ranks' batches differ
 */
export async function compare(change: Partial<TrainInput>, jointBatchSize?: number): Promise<void> {
  const input = { ...BASE, ...change };
  const ranks = input.shares?.length ?? 2;
  const outputs = await resultsOf<TrainInput, TrainOutput>(SCRIPT, { ranks, input });
  const alone = await trainModel(world, {
    ...input,
    batchSize: jointBatchSize ?? input.batchSize * ranks,
    shares: [input.samples],
  });
  for (const output of outputs) {
    assert.deepEqual(output.weights, outputs[0]?.weights, "the ranks have the same bits");
    assertClose(output.weights, alone.weights);
    assert.equal(output.iterations, alone.iterations);
    assert.deepEqual(Object.keys(output.history), Object.keys(alone.history));
    assert.deepEqual(output.history, outputs[0]?.history, "the ranks have the same logs");
    for (const [key, values] of Object.entries(output.history)) {
      for (const [epoch, value] of values.entries()) {
        const expected = alone.history[key]?.[epoch] as number;
        assert.ok(Math.abs(value - expected) < 1e-5, `${key}: ${value}, expected ${expected}`);
      }
    }
    const [, second, ...later] = output.tensorCounts;
    for (const count of later) assert.equal(count, second, "no tensors are leaked");
  }
}

/** Weights that differ by rounding at most. */
export function assertClose(
  actual: readonly Float32Array[],
  expected: readonly Float32Array[],
): void {
  assert.equal(actual.length, expected.length);
  for (const [i, values] of actual.entries()) {
    for (const [k, value] of values.entries()) {
      const difference = Math.abs(value - (expected[i]?.[k] as number));
      assert.ok(difference <= 1e-6, `weight ${i}, element ${k} is off by ${difference}`);
    }
  }
}
