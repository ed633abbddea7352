import assert from "node:assert/strict";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled } from "./fixtures/backends.js";

test("GatherV2: rows in any order and number, of any rank and type, and other axes", async () => {
  for (const shape of [[7], [7, 3], [7, 2, 3], [7, 4, 1, 2]]) {
    const indices = [6, 0, 3, 3, 1];
    await compareBackends(`rows of [${shape}]`, () => [
      tf.gather(filled(shape, 1), tf.tensor1d(indices, "int32")),
      tf.gather(filled(shape, 1), tf.tensor1d([5], "int32")),
      tf.gather(filled(shape, 2), tf.tensor2d([indices, indices], [2, 5], "int32")),
      tf.gather(tf.cast(tf.mul(filled(shape, 3), 100), "int32"), tf.tensor1d(indices, "int32")),
    ]);
  }
  await compareBackends("columns", () => [
    tf.gather(filled([3, 7], 4), tf.tensor1d([6, 0, 3], "int32"), 1),
  ]);
});

test("GatherV2 leaves numbers out of range to the backend's own kernel", () => {
  tf.tidy(() => {
    const x = filled([3, 2], 1);
    const before = tf.memory().numTensors;
    assert.throws(() => tf.gather(x, tf.tensor1d([0, 3], "int32")), /index value 3|3 is not in/);
    assert.ok(tf.memory().numTensors <= before + 1);
  });
});
