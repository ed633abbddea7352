import assert from "node:assert/strict";
import { test } from "node:test";
import { type TrainInput, type TrainOutput, trainModel } from "../fixtures/train.js";
import { resultsOf } from "../testing/ranks.js";
import { soloGroup } from "../testing/soloGroup.js";

const SCRIPT = new URL("../fixtures/trainRank.js", import.meta.url);

const BASE: TrainInput = {
  backend: "cpu",
  model: "mlp",
  optimizer: "sgd",
  samples: 32,
  batchSize: 4,
  epochs: 3,
  by: "fit",
};

/** Several ranks against one rank with all their batches in one. */
async function compare(change: Partial<TrainInput>, jointBatchSize?: number): Promise<void> {
  const input = { ...BASE, ...change };
  const ranks = input.shares?.length ?? 2;
  const outputs = await resultsOf<TrainInput, TrainOutput>(SCRIPT, { ranks, input });
  const alone = await trainModel(soloGroup(), {
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

function assertClose(actual: readonly Float32Array[], expected: readonly Float32Array[]): void {
  assert.equal(actual.length, expected.length);
  for (const [i, values] of actual.entries()) {
    for (const [k, value] of values.entries()) {
      const difference = Math.abs(value - (expected[i]?.[k] as number));
      assert.ok(difference <= 1e-6, `weight ${i}, element ${k} is off by ${difference}`);
    }
  }
}

for (const optimizer of ["sgd", "momentum", "adam", "rmsprop"] as const) {
  test(`2 ranks with ${optimizer} are one rank with the double batch`, async () => {
    await compare({ optimizer });
  });
}

test("a convolutional net on 2 ranks is one rank with the double batch", async () => {
  await compare({ model: "lenet", samples: 16, epochs: 2, optimizer: "momentum" });
});

test("the WASM backend gives the same through views of its heap", async () => {
  await compare({ backend: "wasm", optimizer: "momentum" });
});

for (const by of ["fit", "fitDataset"] as const) {
  test(`uneven shards in ${by} end together and count every sample once`, async () => {
    // 21 + 20 samples in batches of 5: 5 steps and 4.
    await compare({ samples: 41, batchSize: 5, by, optimizer: "adam", validationSamples: 7 });
  });

  test(`uneven shards in ${by} on WASM`, async () => {
    await compare({ samples: 41, batchSize: 5, by, backend: "wasm" });
  });

  test(`a stop on one rank at the end of an epoch stops all in ${by}`, async () => {
    const stop = { rank: 1, in: "onEpochEnd" } as const;
    const input = { ...BASE, by, stop };
    const outputs = await resultsOf<TrainInput, TrainOutput>(SCRIPT, { ranks: 2, input });
    for (const { history, iterations, weights } of outputs) {
      assert.equal(history.loss?.length, 1);
      assert.equal(iterations, 4);
      assert.deepEqual(weights, outputs[0]?.weights);
    }
  });

  test(`a stop on one rank inside an epoch of ${by} lets the others finish it`, async () => {
    const stop = { rank: 0, in: "onBatchEnd" } as const;
    const input = { ...BASE, by, stop };
    const outputs = await resultsOf<TrainInput, TrainOutput>(SCRIPT, { ranks: 2, input });
    for (const { history, iterations, weights } of outputs) {
      assert.equal(history.loss?.length, 1);
      assert.equal(iterations, 4);
      assert.deepEqual(weights, outputs[0]?.weights);
    }
  });
}

test("a rank without any batch takes part", async () => {
  await compare({ by: "fitDataset", shares: [32, 0], optimizer: "momentum" }, 4);
});

test("batches of different sizes have different weights", async () => {
  const once = { model: "linear", epochs: 1, samples: 7, batchSize: 5 } as const;
  await compare({ ...once, shares: [5, 2] }, 7);
  await compare({ ...once, shares: [1, 4, 2] }, 7);
});
