import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled, gradientsOf } from "./fixtures/backends.js";

test("The depthwise convolution and both gradients: strides, pads, multipliers, channels", async () => {
  for (const stride of [1, 2] as const) {
    for (const pad of ["same", "valid"] as const) {
      for (const [channels, multiplier] of [
        [1, 1],
        [4, 1],
        [7, 1],
        [3, 2],
        [2, 5],
      ] as const) {
        for (const [height, width, size] of [
          [7, 9, 3],
          [6, 5, 2],
          [1, 4, 1],
        ] as const) {
          const what = JSON.stringify({ stride, pad, channels, multiplier, height, width, size });
          await compareBackends(what, () =>
            gradientsOf(
              (x, w) => tf.depthwiseConv2d(x as tf.Tensor4D, w as tf.Tensor4D, stride, pad),
              [
                filled([2, height, width, channels], 1),
                filled([size, size, channels, multiplier], 2),
              ],
            ),
          );
        }
      }
    }
  }
});
