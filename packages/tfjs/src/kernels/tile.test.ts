import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled } from "./fixtures/backends.js";

test("Tile: reps on every axis, axes of size one, integers", async () => {
  for (const [shape, reps] of [
    [[3], [4]],
    [
      [2, 3],
      [1, 1],
    ],
    [
      [2, 3],
      [3, 1],
    ],
    [
      [2, 3],
      [1, 5],
    ],
    [
      [2, 3],
      [2, 4],
    ],
    [
      [1, 1, 1, 6],
      [2, 3, 4, 1],
    ],
    [
      [1, 4, 1, 2],
      [3, 2, 5, 2],
    ],
    [
      [2, 1, 3],
      [2, 3, 2],
    ],
    [
      [2, 3, 2],
      [7, 3, 2],
    ],
  ] as const) {
    await compareBackends(`[${shape}] by [${reps}]`, () => [
      tf.tile(filled([...shape], 1), [...reps]),
      tf.tile(tf.cast(tf.mul(filled([...shape], 2), 100), "int32"), [...reps]),
    ]);
  }
});
