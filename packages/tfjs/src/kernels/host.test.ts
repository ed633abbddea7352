import assert from "node:assert/strict";
import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { filled } from "./fixtures/backends.js";
import { elementCount, hostOf, KernelHost, type WasmBackend } from "./host.js";
import { useWasmBackend } from "./setup.js";

test("Scratch is kept, grows to the largest size, and is not freed behind the caller", async () => {
  await useWasmBackend();
  const host = hostOf(tf.backend());
  assert.equal(hostOf(tf.backend()), host);
  const small = host.scratch(1000);
  assert.equal(host.scratch(10), small);
  const large = host.scratch(4_000_000);
  for (const address of [small, large]) assert.equal(address % 64, 0, "begins a cache line");
  assert.equal(host.scratch(1000), large);
});

test("Addresses hold over the growth of the heap; bytes are taken again", async () => {
  await useWasmBackend();
  const host = hostOf(tf.backend());
  const x = filled([1000], 1);
  const values = x.dataSync();
  const address = host.address(x);
  // More than the heap has: it grows.
  const before = host.backend.wasm.asm.memory.buffer.byteLength;
  const filler = host.zeros([before / 4]);
  assert.ok(host.backend.wasm.asm.memory.buffer.byteLength > before);
  assert.equal(host.address(x), address);
  const bytes = host.bytes(x);
  assert.deepEqual(new Float32Array(bytes.buffer, bytes.byteOffset, 1000), values);
  assert.ok(host.bytes(filler).every((byte) => byte === 0));
  host.backend.disposeData(filler.dataId);
});

test("A full heap is an error that says how large it is", async () => {
  await useWasmBackend();
  const { wasm } = tf.backend() as unknown as WasmBackend;
  const full = { wasm: { asm: wasm.asm, _malloc: () => 0, _free: () => {} } };
  assert.throws(
    () => new KernelHost(full as unknown as WasmBackend),
    /Cannot reserve \d+ bytes of kernel scratch: the heap of the WASM backend is full at \d+ bytes/,
  );
});

test("elementCount: a scalar has one element", () => {
  assert.equal(elementCount([]), 1);
  assert.equal(elementCount([3, 4]), 12);
  assert.equal(elementCount([3, 0]), 0);
});
