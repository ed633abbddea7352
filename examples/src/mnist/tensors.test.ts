import assert from "node:assert/strict";
import { test } from "node:test";
import { useWasmBackend } from "@mlsl/tfjs";
import { PIXELS } from "./digits.js";
import { toTensors } from "./tensors.js";

await useWasmBackend();

test("ink becomes 1, paper 0, and a label a row with a single 1", () => {
  const pixels = Uint8Array.from({ length: 2 * PIXELS }, (_, i) => (i % 2 === 0 ? 255 : 0));
  const digits = { count: 2, pixels, labels: Uint8Array.of(3, 0) };
  const { images, labels } = toTensors(digits, [28, 28, 1]);
  assert.deepEqual(images.shape, [2, 28, 28, 1]);
  assert.ok(images.dataSync().every((value, i) => value === (i % 2 === 0 ? 1 : 0)));
  assert.deepEqual(labels.arraySync(), [
    [0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  ]);
});
