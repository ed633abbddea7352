import "@tensorflow/tfjs-backend-cpu";
import assert from "node:assert/strict";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { registerTrainingKernels } from "./register.js";
import { useWasmBackend } from "./setup.js";

test("Another backend is refused, and the message names it", async () => {
  await tf.setBackend("cpu");
  assert.throws(registerTrainingKernels, /expected the current backend to be "wasm", got "cpu"/);
});

test("A backend of another shape is refused, and the message names what it lacks", async () => {
  const old = {
    makeOutput() {},
    incRef() {},
    disposeData() {},
    dataIdMap: {},
    wasm: { _free() {} },
  };
  const strange = Object.assign(Object.create(tf.backend()), old);
  tf.registerBackend("wasm", () => strange);
  await tf.setBackend("wasm");
  assert.throws(
    registerTrainingKernels,
    /has no wasm\.asm\.memory, no wasm\._malloc; expected @tensorflow\/tfjs-backend-wasm 4\.22\.0/,
  );
  await tf.setBackend("cpu");
  tf.removeBackend("wasm");
});

test("useWasmBackend registers; a second call to either changes nothing", async () => {
  await useWasmBackend();
  assert.equal(tf.getBackend(), "wasm");
  const names = registerTrainingKernels();
  const kernels = names.map((name) => tf.getKernel(name, "wasm"));
  await useWasmBackend();
  assert.equal(registerTrainingKernels(), names);
  assert.deepEqual(
    names.map((name) => tf.getKernel(name, "wasm")),
    kernels,
  );
  for (const name of ["Conv2DBackpropFilter", "DepthwiseConv2dNativeBackpropInput"]) {
    assert.ok(names.includes(name));
  }
});

test("A form that neither we nor the backend cover is refused by name", async () => {
  await useWasmBackend();
  assert.throws(
    () => tf.unsortedSegmentSum(tf.tensor1d([1, 2], "int32"), tf.tensor1d([0, 1], "int32"), 2),
    /Cannot run UnsortedSegmentSum on the WASM backend: .*got x int32 \[2\], segmentIds int32 \[2\]/,
  );
});
