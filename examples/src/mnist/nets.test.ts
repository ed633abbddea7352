import assert from "node:assert/strict";
import { test } from "node:test";
import { useWasmBackend } from "@mlsl/tfjs";
import { weightsHash } from "./fingerprint.js";
import { NET_NAMES, NETS } from "./nets.js";

await useWasmBackend();

test("the nets have the sizes that are published", () => {
  assert.equal(NETS.lenet.create(1).countParams(), 431_080);
  assert.equal(NETS.mlp.create(1).countParams(), 784 * 512 + 512 + 512 * 512 + 512 + 5130);
});

for (const name of NET_NAMES) {
  test(`the first weights of ${name} depend on the seed alone`, () => {
    const { create } = NETS[name];
    const hash = weightsHash(create(1));
    assert.equal(weightsHash(create(1)), hash);
    assert.notEqual(weightsHash(create(2)), hash);
  });
}
