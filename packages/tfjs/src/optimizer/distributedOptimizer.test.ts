import assert from "node:assert/strict";
import { test } from "node:test";
import { io, train } from "@tensorflow/tfjs-core";
import { loadLayersModel, type Sequential } from "@tensorflow/tfjs-layers";
import {
  createData,
  createModel,
  createOptimizer,
  useBackend,
  weightsOf,
} from "../fixtures/models.js";
import { type TrainInput, type TrainOutput, trainModel } from "../fixtures/train.js";
import { resultsOf, runRanks } from "../testing/ranks.js";
import { soloGroup } from "../testing/soloGroup.js";
import { DistributedOptimizer } from "./distributedOptimizer.js";

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

test("batches of different sizes have different weights", async () => {
  const once = { model: "linear", epochs: 1, samples: 7, batchSize: 5 } as const;
  await compare({ ...once, shares: [5, 2] }, 7);
  await compare({ ...once, shares: [1, 4, 2], by: "trainOnBatch" }, 7);
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

test("a saved model goes on where it was, with or without a group", async () => {
  await useBackend("cpu");
  for (const kind of ["sgd", "momentum", "adam", "rmsprop"] as const) {
    const model = createModel("mlp");
    const optimizer = new DistributedOptimizer(createOptimizer(kind), soloGroup());
    const settings = { loss: "categoricalCrossentropy" };
    model.compile({ ...settings, optimizer });
    const { xs, ys } = createData("mlp", 8);
    await model.trainOnBatch(xs, ys);
    const artifacts = await saved(model);
    const loaded = (await loadLayersModel(io.fromMemory(artifacts))) as Sequential;
    assert.equal(loaded.optimizer.getClassName(), optimizer.inner.getClassName());
    loaded.optimizer = new DistributedOptimizer(loaded.optimizer, soloGroup());
    await model.trainOnBatch(xs, ys);
    await loaded.trainOnBatch(xs, ys);
    assert.equal(loaded.optimizer.iterations, 2);
    assertClose(weightsOf(loaded), weightsOf(model));
  }
});

function saved(model: Sequential): Promise<io.ModelArtifacts> {
  return new Promise((resolve, reject) => {
    const handler = io.withSaveHandler(async (artifacts) => {
      resolve(artifacts);
      return { modelArtifactsInfo: io.getModelArtifactsInfoForJSON(artifacts) };
    });
    model.save(handler, { includeOptimizer: true }).catch(reject);
  });
}

test("what is no optimizer, or no batch size, is an error", () => {
  assert.throws(() => new DistributedOptimizer("sgd" as never, soloGroup()), /made by tf.train/);
  const optimizer = new DistributedOptimizer(train.sgd(1), soloGroup());
  for (const batchSize of [-1, 0.5, Number.NaN, 2 ** 24 + 1]) {
    assert.throws(() => {
      optimizer.batchSize = batchSize;
    }, RangeError);
  }
  assert.throws(() => new DistributedOptimizer(optimizer, soloGroup()), /already distributed/);
  optimizer.dispose();
});

test("instanceof tells distributed optimizers from others", () => {
  const [inner, group] = [train.sgd(1), soloGroup()];
  assert.equal(new DistributedOptimizer(inner, group) instanceof DistributedOptimizer, true);
  for (const other of [inner, null, undefined, 1]) {
    assert.equal((other as unknown) instanceof DistributedOptimizer, false);
  }
});
