import assert from "node:assert/strict";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled } from "./fixtures/backends.js";
import { useWasmBackend } from "./setup.js";

test("A clone shares its data and outlives the original", async () => {
  await useWasmBackend();
  const { numDataBuffers } = tf.memory();
  const x = filled([3, 2], 1);
  const copy = tf.clone(x);
  const same = tf.cast(x, "float32");
  assert.equal(tf.memory().numDataBuffers, numDataBuffers + 1);
  const values = x.dataSync();
  x.dispose();
  same.dispose();
  assert.deepEqual(copy.dataSync(), values);
  copy.dispose();
  assert.equal(tf.memory().numDataBuffers, numDataBuffers);
});

test("Cast to another type converts", async () => {
  await compareBackends("casts", () => {
    const x = tf.mul(filled([7], 2), 10);
    return [tf.cast(x, "int32"), tf.cast(tf.cast(x, "int32"), "float32"), tf.cast(x, "float32")];
  });
});
