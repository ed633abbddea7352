import "@tensorflow/tfjs-backend-cpu";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled, gradientsOf } from "./fixtures/backends.js";

test("Relu and ClipByValue: the bounds themselves, and values beside them", async () => {
  const values = [-2, -0, 0, 1e-30, 0.5, 1, 1.5, 6, 7];
  await compareBackends("gates", () => [
    ...gradientsOf((x) => tf.relu(x), [tf.tensor1d(values)]),
    ...gradientsOf((x) => tf.clipByValue(x, 0, 6), [tf.tensor1d(values)]),
    ...gradientsOf((x) => tf.clipByValue(x, 0.5, 1), [tf.tensor1d(values)]),
  ]);
});

test("Sum and Mean: the gradient for every set of axes", async () => {
  for (const shape of [
    [3, 4, 5, 6],
    [2, 1, 7, 1],
  ]) {
    for (let set = 1; set < 16; set++) {
      const axes = [0, 1, 2, 3].filter((axis) => Math.floor(set / 2 ** axis) % 2 === 1);
      for (const keepDims of [false, true]) {
        await compareBackends(`[${shape}] over [${axes}] ${keepDims}`, () => [
          ...gradientsOf((x) => tf.sum(x, axes, keepDims), [filled(shape, set)]),
          ...gradientsOf((x) => tf.mean(x, axes, keepDims), [filled(shape, set)]),
        ]);
      }
    }
  }
});

test("Gradients of gradients go the way of the core", async () => {
  const functions: Record<string, (x: tf.Tensor) => tf.Tensor> = {
    relu: (x) => tf.relu(tf.mul(x, x)),
    mean: (x) => tf.square(tf.mean(tf.square(x), 0)),
    sum: (x) => tf.square(tf.sum(tf.square(x), 0)),
    batchNorm: (x) =>
      tf.batchNorm(tf.square(x), tf.ones([3]), tf.ones([3]), tf.zeros([3]), tf.ones([3])),
  };
  for (const [name, compute] of Object.entries(functions)) {
    await compareBackends(name, () => {
      const slope = tf.grad((x) => tf.sum(tf.square(compute(x))));
      return [tf.grad((x) => tf.sum(tf.square(slope(x))))(filled([4, 3], 1))];
    });
  }
});
