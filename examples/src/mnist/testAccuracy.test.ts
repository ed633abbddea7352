import assert from "node:assert/strict";
import { test } from "node:test";
import { useWasmBackend } from "@mlsl/tfjs";
import { tensor } from "@tensorflow/tfjs-core";
import { layers, sequential } from "@tensorflow/tfjs-layers";
import { CLASSES, PIXELS } from "./digits.js";
import { testAccuracy } from "./testAccuracy.js";

await useWasmBackend();

test("accuracy is the share of digits whose own output is the largest", () => {
  // Output k is pixel k, so a digit with ink in pixel k alone is read as k.
  const model = sequential({ layers: [layers.dense({ units: CLASSES, inputShape: [PIXELS] })] });
  const weights = new Float32Array(PIXELS * CLASSES);
  for (let k = 0; k < CLASSES; k++) weights[k * CLASSES + k] = 1;
  model.setWeights([tensor(weights, [PIXELS, CLASSES]), tensor(new Float32Array(CLASSES))]);
  const count = 300;
  const pixels = new Uint8Array(count * PIXELS);
  for (let index = 0; index < count; index++) pixels[index * PIXELS + (index % CLASSES)] = 255;
  // A third of the labels is wrong.
  const labels = Uint8Array.from({ length: count }, (_, index) => {
    return (index + (index % 3 === 0 ? 1 : 0)) % CLASSES;
  });
  assert.equal(testAccuracy(model, { count, pixels, labels }, [PIXELS]), 2 / 3);
});
