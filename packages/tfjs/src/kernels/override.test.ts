import assert from "node:assert/strict";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { filled } from "./fixtures/backends.js";
import { hostOf } from "./host.js";
import { installKernel, installOverride, runKernel } from "./override.js";
import { useWasmBackend } from "./setup.js";

test("A form that the override leaves goes to the kernel that was there", async () => {
  await useWasmBackend();
  const seen: string[] = [];
  installOverride({
    kernelName: "Neg",
    run: ({ inputs }) => {
      seen.push(String(inputs.x!.shape));
      return undefined;
    },
  });
  assert.deepEqual([...tf.neg(tf.tensor1d([1, -2])).dataSync()], [-1, 2]);
  assert.deepEqual(seen, ["2"]);
});

test("A form of a kernel that nobody else has is refused with inputs and attributes", async () => {
  await useWasmBackend();
  installOverride({ kernelName: "Nobody", run: () => undefined });
  assert.throws(
    () => tf.engine().runKernel("Nobody", { x: filled([2], 1) }, { depth: 3 }),
    /Cannot run Nobody on the WASM backend: .*got x float32 \[2\] with \{"depth":3\}/,
  );
});

test("runKernel wants one output", async () => {
  await useWasmBackend();
  const host = hostOf(tf.backend());
  installKernel("Pair", () => [host.output([1]), host.output([1])]);
  assert.throws(() => runKernel(host, "Pair", {}), /Cannot run Pair: expected one output/);
});
