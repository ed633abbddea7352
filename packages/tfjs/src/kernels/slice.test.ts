import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled } from "./fixtures/backends.js";

test("Slice: neighbouring rows, parts of rows, single elements, and what is not in one piece", async () => {
  const cases: [number[], number[], number[]][] = [
    [[9], [2], [5]],
    [[9], [8], [1]],
    [
      [9, 4],
      [3, 0],
      [4, 4],
    ],
    [
      [9, 4],
      [3, 1],
      [1, 2],
    ],
    [
      [9, 4],
      [3, 1],
      [2, 2],
    ],
    [
      [5, 3, 2],
      [1, 0, 0],
      [-1, -1, -1],
    ],
    [
      [5, 3, 2],
      [4, 2, 0],
      [1, 1, 2],
    ],
    [
      [5, 3, 2],
      [0, 1, 0],
      [5, 1, 2],
    ],
    [
      [4, 3, 2, 2],
      [1, 0, 0, 0],
      [2, 3, 2, 2],
    ],
    [
      [4, 3, 2, 2],
      [1, 1, 1, 1],
      [2, 1, 1, 1],
    ],
  ];
  for (const [shape, begin, size] of cases) {
    await compareBackends(`[${shape}] from [${begin}] of [${size}]`, () => [
      tf.slice(filled(shape, 1), begin, size),
      tf.slice(tf.cast(tf.mul(filled(shape, 2), 100), "int32"), begin, size),
    ]);
  }
});
