import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled, gradientsOf } from "./fixtures/backends.js";

const normalise =
  (epsilon: number) =>
  (...[x, mean, variance, offset, scale]: tf.Tensor[]): tf.Tensor =>
    tf.batchNorm(
      x!,
      mean as tf.Tensor1D,
      variance as tf.Tensor1D,
      offset as tf.Tensor1D,
      scale as tf.Tensor1D,
      epsilon,
    );

test("FusedBatchNorm and its gradients: ranks, channels, with and without scale and offset", async () => {
  for (const shape of [
    [6, 5],
    [2, 3, 7],
    [3, 4, 5, 8],
    [2, 9, 8, 3],
  ]) {
    const channels = [shape.at(-1)!];
    for (const parameters of [2, 3, 4]) {
      await compareBackends(`[${shape}], ${parameters} parameters`, () => {
        const variance = tf.add(tf.abs(filled(channels, 2)), 0.1);
        const rest = [filled(channels, 3), filled(channels, 4)].slice(0, parameters - 2);
        const inputs = [filled(shape, 5), filled(channels, 1), variance, ...rest];
        // The core has no gradient without a scale.
        const gradients = parameters === 4 ? gradientsOf(normalise(1e-3), inputs) : [];
        return [normalise(1e-3)(...inputs), ...gradients];
      });
    }
  }
});

test("FusedBatchNorm: statistics of the shape of x stay with the backend", async () => {
  await compareBackends("whole statistics", () => {
    const shape = [2, 3, 4, 2];
    const variance = tf.add(tf.abs(filled(shape, 2)), 0.1) as tf.Tensor4D;
    return [
      tf.batchNorm(filled(shape, 5) as tf.Tensor4D, filled(shape, 1) as tf.Tensor4D, variance),
    ];
  });
});
