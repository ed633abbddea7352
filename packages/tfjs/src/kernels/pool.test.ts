import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled, gradientsOf } from "./fixtures/backends.js";

test("MaxPoolGrad: sizes, strides (overlapping too), pads, channels", async () => {
  for (const [size, stride] of [
    [2, 2],
    [3, 1],
    [3, 2],
    [2, 3],
  ] as const) {
    for (const pad of ["same", "valid"] as const) {
      for (const channels of [1, 4, 6]) {
        for (const [height, width] of [
          [6, 6],
          [7, 5],
        ] as const) {
          const what = JSON.stringify({ size, stride, pad, channels, height, width });
          await compareBackends(what, () =>
            gradientsOf(
              (x) => tf.maxPool(x as tf.Tensor4D, size, stride, pad),
              [filled([2, height, width, channels], 1)],
            ),
          );
        }
      }
    }
  }
});

test("MaxPoolGrad: among equal elements the first one gets the gradient", async () => {
  await compareBackends("ties", () =>
    gradientsOf((x) => tf.maxPool(x as tf.Tensor4D, 2, 1, "valid"), [tf.ones([1, 4, 4, 5])]),
  );
});

test("MaxPoolGrad: explicit pads, with windows wholly in the padding", async () => {
  for (const pad of [
    1,
    [
      [0, 0],
      [2, 1],
      [0, 2],
      [0, 0],
    ],
  ] as const) {
    await compareBackends(JSON.stringify(pad), () =>
      gradientsOf(
        (x) => tf.maxPool(x as tf.Tensor4D, 2, 1, pad as number),
        [filled([1, 5, 4, 6], 2)],
      ),
    );
  }
});
