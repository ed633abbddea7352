import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled } from "./fixtures/backends.js";

test("Sum and Mean: every set of axes, with and without the reduced axes kept", async () => {
  for (const shape of [
    [3, 4, 5, 6],
    [2, 1, 7, 1],
    [70, 1, 3, 21],
  ]) {
    for (let set = 1; set < 16; set++) {
      const axes = [0, 1, 2, 3].filter((axis) => (set >> axis) & 1);
      for (const keepDims of [false, true]) {
        await compareBackends(`[${shape}] over [${axes}] ${keepDims}`, () => {
          const x = filled(shape, set);
          return [tf.sum(x, axes, keepDims), tf.mean(x, axes, keepDims)];
        });
      }
    }
  }
});

test("Sum: integers and booleans stay with the backend", async () => {
  await compareBackends("int32, bool", () => [
    tf.sum(tf.tensor2d([1, 2, 3, 4, 5, 6], [3, 2], "int32"), 0),
    tf.sum(tf.tensor2d([true, false, true, true], [2, 2], "bool"), 0),
  ]);
});

test("Sum: a long sum rounds little", async () => {
  await compareBackends("20,000 rows", () => [tf.sum(tf.fill([20_000, 5], 0.1), 0)]);
});

test("UnsortedSegmentSum: repeated, missing and negative ids", async () => {
  for (const rest of [[], [5], [3, 4]]) {
    await compareBackends(`rows of [${rest}]`, () => {
      const x = filled([7, ...rest], 1);
      return [tf.unsortedSegmentSum(x, tf.tensor1d([2, 0, 2, 5, -1, 0, 2], "int32"), 6)];
    });
  }
});

test("The gradient of gather is the sum by index", async () => {
  for (const axis of [0, 1]) {
    await compareBackends(`axis ${axis}`, () => {
      const indices = tf.tensor1d([3, 0, 3], "int32");
      const gather = (x: tf.Tensor): tf.Tensor => tf.gather(x, indices, axis);
      return [tf.grad(gather)(filled([4, 5, 2], 2))];
    });
  }
});
