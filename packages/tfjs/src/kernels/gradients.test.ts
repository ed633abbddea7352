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
  await compareBackends("second order", () => {
    const cube = (x: tf.Tensor): tf.Tensor => tf.sum(tf.mul(tf.mul(x, x), x), 0);
    return [tf.grad(tf.grad((x) => tf.sum(cube(x))))(filled([4, 3], 1))];
  });
});
