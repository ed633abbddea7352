import assert from "node:assert/strict";
import { test } from "node:test";
import { io, train } from "@tensorflow/tfjs-core";
import { loadLayersModel, type Sequential } from "@tensorflow/tfjs-layers";
import { init } from "mlsl";
import {
  createData,
  createModel,
  createOptimizer,
  useBackend,
  weightsOf,
} from "../fixtures/models.js";
import { assertClose, compare } from "../testing/compareTraining.js";
import { DistributedOptimizer } from "./distributedOptimizer.js";

const { world } = await init();

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

test("batches of different sizes have different weights", async () => {
  const once = { model: "linear", epochs: 1, samples: 7, batchSize: 5 } as const;
  await compare({ ...once, shares: [5, 2] }, 7);
  await compare({ ...once, shares: [1, 4, 2], by: "trainOnBatch" }, 7);
});

test("a saved model goes on where it was, with or without a group", async () => {
  await useBackend("cpu");
  for (const kind of ["sgd", "momentum", "adam", "rmsprop"] as const) {
    const model = createModel("mlp");
    const optimizer = new DistributedOptimizer(createOptimizer(kind), world);
    const settings = { loss: "categoricalCrossentropy" };
    model.compile({ ...settings, optimizer });
    const { xs, ys } = createData("mlp", 8);
    await model.trainOnBatch(xs, ys);
    const artifacts = await saved(model);
    const loaded = (await loadLayersModel(io.fromMemory(artifacts))) as Sequential;
    assert.equal(loaded.optimizer.getClassName(), optimizer.inner.getClassName());
    loaded.optimizer = new DistributedOptimizer(loaded.optimizer, world);
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
  assert.throws(() => new DistributedOptimizer("sgd" as never, world), /made by tf.train/);
  const optimizer = new DistributedOptimizer(train.sgd(1), world);
  for (const batchSize of [-1, 0.5, Number.NaN, 2 ** 24 + 1]) {
    assert.throws(() => {
      optimizer.batchSize = batchSize;
    }, RangeError);
  }
  assert.throws(() => new DistributedOptimizer(optimizer, world), /already distributed/);
  optimizer.dispose();
});

test("instanceof tells distributed optimizers from others", () => {
  const [inner, group] = [train.sgd(1), world];
  assert.equal(new DistributedOptimizer(inner, group) instanceof DistributedOptimizer, true);
  for (const other of [inner, null, undefined, 1]) {
    assert.equal((other as unknown) instanceof DistributedOptimizer, false);
  }
});
