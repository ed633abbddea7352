import assert from "node:assert/strict";
import { test } from "node:test";
import { compiledKernels } from "./compiled.js";
import { Bench } from "./fixtures/bench.js";
import { sequence } from "./fixtures/numbers.js";

test("The compiled kernels write to their room and their outputs alone", () => {
  const bench = new Bench(compiledKernels);
  const [m, n, k] = [6, 11, 40];
  const a = bench.put(sequence(m * k, 1));
  const b = bench.put(sequence(k * n, 2));
  const fence = bench.put(new Float32Array(16).fill(7));
  const c = bench.put(new Float32Array(m * n));
  const behind = bench.put(new Float32Array(16).fill(7));
  const low = new Uint8Array(bench.memory.buffer, 0, 64).fill(0xaa);
  bench.calls.gemm({ a, b, c, m, n, k, aStrides: [k, 1], bStrides: [n, 1] });
  assert.ok(low.every((byte) => byte === 0xaa));
  assert.deepEqual(bench.get(a, m * k), sequence(m * k, 1));
  assert.deepEqual(bench.get(b, k * n), sequence(k * n, 2));
  for (const guard of [fence, behind]) assert.ok(bench.get(guard, 16).every((x) => x === 7));
});

test("Memory growth between two calls is noticed", () => {
  const bench = new Bench(compiledKernels);
  const x = bench.put(new Float32Array([1, 2, 3, 4]));
  const y = bench.put(new Float32Array(2));
  bench.calls.sumMiddle({ x, y, shape: [1, 2, 2] });
  bench.memory.grow(1);
  bench.calls.sumMiddle({ x, y, shape: [1, 2, 2], scale: 10 });
  assert.deepEqual([...bench.get(y, 2)], [40, 60]);
});
