import assert from "node:assert/strict";
import { test } from "node:test";
import { useWasmBackend } from "@mlsl/tfjs";
import { tensor } from "@tensorflow/tfjs-core";
import { layers, sequential } from "@tensorflow/tfjs-layers";
import { weightsHash } from "./fingerprint.js";
import { measureOnTwoRanks } from "./fixtures/measure.js";

await useWasmBackend();

test("one bit of one weight changes the hash", () => {
  const model = sequential({ layers: [layers.dense({ units: 2, inputShape: [3] })] });
  const hashOf = (last: number) => {
    model.setWeights([tensor([1, 2, 3, 4, 5, 6], [3, 2]), tensor([7, last])]);
    return weightsHash(model);
  };
  assert.equal(hashOf(1), hashOf(1));
  assert.notEqual(hashOf(1), hashOf(1 + 2 ** -23));
  assert.notEqual(hashOf(0), hashOf(-0));
});

test("ranks find out whether all have the same hash", async () => {
  const { isSame, isSameIfOneBitDiffers } = await measureOnTwoRanks();
  assert.equal(isSame, true);
  assert.equal(isSameIfOneBitDiffers, false);
});
