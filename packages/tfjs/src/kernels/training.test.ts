// Whole nets: gradients against the cpu backend, training, memory, several threads.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import * as tf from "@tensorflow/tfjs-core";
import type * as tfl from "@tensorflow/tfjs-layers";
import { compareBackends } from "./fixtures/backends.js";
import { batchFor, leNet, mobileNet, setWeights } from "./fixtures/nets.js";
import type { WasmBackend } from "./host.js";
import { useWasmBackend } from "./setup.js";

const nets = { leNet, mobileNet };

/** Loss and gradients of all trainable weights for one batch, in training mode. */
function lossAndGradients(model: tfl.LayersModel): tf.Tensor[] {
  const { x, y } = batchFor(model, 4);
  const weights = model.trainableWeights.map((weight) => weight.read() as tf.Variable);
  const { value, grads } = tf.variableGrads(() => {
    const output = model.apply(x, { training: true }) as tf.Tensor;
    return tf.neg(tf.mean(tf.sum(tf.mul(y, tf.log(tf.add(output, 1e-3))), -1)));
  }, weights);
  return [value, ...weights.map((weight) => grads[weight.name]!)];
}

for (const [name, make] of Object.entries(nets)) {
  test(`${name}: loss and every gradient agree with the cpu backend`, async () => {
    await compareBackends(name, () => {
      const model = make();
      setWeights(model);
      return lossAndGradients(model);
    });
  });

  test(`${name}: the loss falls in model.fit`, async () => {
    await useWasmBackend();
    const model = make();
    setWeights(model);
    model.compile({ optimizer: tf.train.momentum(0.01, 0.9), loss: "categoricalCrossentropy" });
    const { x, y } = batchFor(model, 16);
    const { history } = await model.fit(x, y, {
      epochs: 12,
      batchSize: 8,
      shuffle: false,
      verbose: 0,
    });
    const losses = history.loss as number[];
    assert.ok(losses.at(-1)! < losses[0]! * 0.75, `losses ${losses.join(", ")}`);
  });

  test(`${name}: no tensor and no byte more after 50 steps`, async () => {
    await useWasmBackend();
    const model = make();
    model.compile({ optimizer: tf.train.momentum(0.001, 0.9), loss: "categoricalCrossentropy" });
    const { x, y } = batchFor(model, 8);
    const { memory } = (tf.backend() as unknown as WasmBackend).wasm.asm;
    const steps = async (count: number): Promise<number[]> => {
      for (let i = 0; i < count; i++) await model.trainOnBatch(x, y);
      return [tf.memory().numTensors, tf.memory().numDataBuffers, memory.buffer.byteLength];
    };
    const warm = await steps(5);
    assert.deepEqual(await steps(50), warm);
  });
}

test("Two worker threads train at once, each with its own backend", async () => {
  const file = new URL("./fixtures/trainingWorker.js", import.meta.url);
  const reports = await Promise.all(
    [1, 2].map(async () => {
      const worker = new Worker(file);
      const exited = once(worker, "exit");
      const [losses] = (await once(worker, "message")) as [number[]];
      await exited;
      return losses;
    }),
  );
  const [first = [], second] = reports;
  assert.equal(first.length, 8);
  assert.ok(first.at(-1)! < first[0]!);
  assert.deepEqual(second, first, "same numbers in both threads");
});
