import assert from "node:assert/strict";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { filled } from "./fixtures/backends.js";
import { fuseUpdates } from "./fuseUpdates.js";
import { useWasmBackend } from "./setup.js";

const makers: Record<string, () => tf.Optimizer> = {
  sgd: () => tf.train.sgd(0.1),
  momentum: () => tf.train.momentum(0.1, 0.9),
  nesterov: () => tf.train.momentum(0.1, 0.9, true),
  adam: () => tf.train.adam(0.1, 0.8, 0.95),
};

const shapes = [[1], [3, 3], [5, 8, 2], []];

/** Weights and state of the optimizer after some steps on made-up gradients. */
async function trained(optimizer: tf.Optimizer, asMap: boolean): Promise<Float32Array[]> {
  const variables = shapes.map((shape, i) => filled(shape, i + 1).variable());
  for (let step = 0; step < 5; step++) {
    const tensors = variables.map(({ shape }, i) => filled(shape, 10 * step + i));
    const list = variables.map(({ name }, i) => ({ name, tensor: tensors[i]! }));
    optimizer.applyGradients(
      asMap ? Object.fromEntries(list.map(({ name, tensor }) => [name, tensor])) : list,
    );
    tf.dispose(tensors);
  }
  assert.equal(optimizer.iterations, 5);
  const weights = await optimizer.getWeights();
  const state = weights.slice(1).map(({ tensor }) => tensor);
  return [...variables, ...state].map((tensor) => tensor.dataSync() as Float32Array);
}

for (const [name, make] of Object.entries(makers)) {
  test(`${name}: the same bits as the optimizer of TensorFlow.js`, async () => {
    await useWasmBackend();
    for (const asMap of [false, true]) {
      const expected = await trained(make(), asMap);
      const fused = make();
      assert.equal(fuseUpdates(fused), fused);
      assert.deepEqual(await trained(fused, asMap), expected);
    }
  });
}

test("A copy taken before the update keeps its values, and nothing leaks", async () => {
  await useWasmBackend();
  const variable = filled([6], 1).variable();
  const gradient = filled([6], 2);
  const optimizer = fuseUpdates(tf.train.momentum(0.1, 0.9));
  const step = (): void => optimizer.applyGradients([{ name: variable.name, tensor: gradient }]);
  step();
  const copy = variable.clone();
  const before = copy.dataSync();
  const { numTensors } = tf.memory();
  step();
  assert.deepEqual(copy.dataSync(), before);
  assert.notDeepEqual(variable.dataSync(), before);
  assert.equal(tf.memory().numTensors, numTensors);
});

test("A changed learning rate counts from the next update; a null gradient changes nothing", async () => {
  await useWasmBackend();
  const variable = tf.tensor1d([1, 2]).variable();
  const gradient = tf.tensor1d([1, 1]);
  const optimizer = fuseUpdates(tf.train.sgd(1));
  optimizer.applyGradients([{ name: variable.name, tensor: gradient }]);
  assert.deepEqual([...variable.dataSync()], [0, 1]);
  (optimizer as unknown as { setLearningRate(rate: number): void }).setLearningRate(2);
  optimizer.applyGradients([{ name: variable.name, tensor: gradient }]);
  assert.deepEqual([...variable.dataSync()], [-2, -1]);
  const none = { name: variable.name, tensor: null as unknown as tf.Tensor };
  optimizer.applyGradients([none]);
  assert.deepEqual([...variable.dataSync()], [-2, -1]);
});

test("Other kinds of optimizers are left as they are; other backends use their own way", async () => {
  const other = tf.train.adagrad(0.1);
  const { applyGradients } = other;
  assert.equal(fuseUpdates(other).applyGradients, applyGradients);
  await tf.setBackend("cpu");
  const expected = await trained(tf.train.momentum(0.1, 0.9), false);
  assert.deepEqual(await trained(fuseUpdates(tf.train.momentum(0.1, 0.9)), false), expected);
});
