import assert from "node:assert/strict";
import { test } from "node:test";
import type { TrainInput, TrainOutput } from "../fixtures/train.js";
import { BASE, compare, SCRIPT } from "../testing/compareTraining.js";
import { resultsOf, runRanks } from "../testing/ranks.js";

test("501 and 500 samples are 11 and 10 batches of 50", async () => {
  await compare({ samples: 1001, batchSize: 50, epochs: 2, optimizer: "momentum" });
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

test("ranks that do not validate leave the validation logs to the others", async () => {
  const input = { ...BASE, validationSamples: 9, validatingRanks: [1] };
  const outputs = await resultsOf<TrainInput, TrainOutput>(SCRIPT, { ranks: 2, input });
  assert.deepEqual(Object.keys(outputs[0]?.history ?? {}).sort(), ["acc", "loss"]);
  assert.deepEqual(Object.keys(outputs[1]?.history ?? {}).sort(), [
    "acc",
    "loss",
    "val_acc",
    "val_loss",
  ]);
  assert.deepEqual(outputs[0]?.history.loss, outputs[1]?.history.loss);
});

test("different epochs or metrics are an error on all ranks", async () => {
  const cases = [
    [{ epochs: 4 }, /rank 0 has "epochs" 3 and rank 1 has "epochs" 4/],
    [{ metrics: [] }, /rank 0 has "metrics" \["loss","acc"\] and rank 1 has "metrics" \["loss"\]/],
  ] as const;
  for (const [last, message] of cases) {
    for (const by of ["fit", "fitDataset"] as const) {
      const input = { ...BASE, last: { ...last }, by };
      for (const outcome of await runRanks(SCRIPT, { ranks: 2, input })) {
        assert.ok("error" in outcome);
        assert.match(outcome.error, /^Error: Cannot train together: /);
        assert.match(outcome.error, message);
      }
    }
  }
});
