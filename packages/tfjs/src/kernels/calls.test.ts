// One suite for the compiled kernels and their plain twins: closed-form answers where there are some,
// and both on the same numbers.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WindowCall, WindowGeometry, WindowKernel } from "./calls.js";
import { compiledKernels } from "./compiled.js";
import { Bench, testBoth } from "./fixtures/bench.js";
import { sequence } from "./fixtures/numbers.js";

testBoth("gemm: a product of counting matrices has a closed form", (bench) => {
  // A[i][l] = i + 1, B[l][j] = j + 1, so C[i][j] = k (i + 1) (j + 1), exact in float32.
  const results: Float32Array[] = [];
  for (const [m, n, k] of [
    [1, 1, 1],
    [5, 9, 3],
    [8, 12, 257],
    [130, 3, 2],
  ] as const) {
    const a = bench.put(Float32Array.from({ length: m * k }, (_, i) => Math.floor(i / k) + 1));
    const b = bench.put(Float32Array.from({ length: k * n }, (_, i) => (i % n) + 1));
    const c = bench.put(new Float32Array(m * n).fill(Number.NaN));
    bench.calls.gemm({ a, aStrides: [k, 1], b, bStrides: [n, 1], c, m, n, k });
    const result = bench.get(c, m * n);
    for (let i = 0; i < m * n; i++) {
      assert.equal(result[i], k * (Math.floor(i / n) + 1) * ((i % n) + 1));
    }
    results.push(result);
  }
  return results;
});

testBoth("gemm: bias, clamp, accumulation, transposed and general strides", (bench) => {
  const [m, n, k] = [7, 13, 300];
  const a = bench.put(sequence(2 * m * k, 1));
  const b = bench.put(sequence(2 * n * k, 2));
  const bias = bench.put(sequence(n, 3));
  const before = sequence(m * n, 4);
  const strides = [
    { aStrides: [k, 1], bStrides: [n, 1] },
    { aStrides: [1, m], bStrides: [1, k] },
    { aStrides: [2 * k, 2], bStrides: [2, 2 * k] },
  ] as const;
  return strides.flatMap((layout) =>
    [{ bias }, { accumulate: true }, { bias, low: -1, high: 2 }, {}].map((epilogue) => {
      const c = bench.put(before);
      bench.calls.gemm({ a, b, c, m, n, k, ...layout, ...epilogue });
      return bench.get(c, m * n);
    }),
  );
});

testBoth("gemm: NaN stays NaN through the clamp", (bench) => {
  const a = bench.put(new Float32Array([Number.NaN]));
  const b = bench.put(new Float32Array([1]));
  const c = bench.put(new Float32Array(1));
  const one = { m: 1, n: 1, k: 1, aStrides: [1, 1], bStrides: [1, 1] } as const;
  bench.calls.gemm({ a, b, c, ...one, low: 0, high: 6 });
  assert.ok(Number.isNaN(bench.get(c, 1)[0]));
  return [];
});

const geometry: WindowGeometry = {
  batchSize: 2,
  inHeight: 6,
  inWidth: 7,
  inChannels: 5,
  outHeight: 3,
  outWidth: 4,
  outChannels: 5,
  filterHeight: 3,
  filterWidth: 2,
  strideHeight: 2,
  strideWidth: 2,
  dilationHeight: 1,
  dilationWidth: 2,
  padInfo: { top: 1, left: 1 },
};
const places = 2 * 3 * 4;
const depth = 3 * 2 * 5;
const pixels = 2 * 6 * 7 * 5;

testBoth("patches: adding back what was seen counts each pixel's windows", (bench) => {
  const ones = bench.put(new Float32Array(pixels).fill(1));
  const patches = bench.put(new Float32Array(places * depth).fill(Number.NaN));
  const count = bench.put(new Float32Array(pixels));
  const part = { places: patches, firstRow: 3, rows: places - 3 };
  bench.calls.window("imageToPatches", geometry, { ...part, image: ones });
  bench.calls.window("addPatchesToImage", geometry, { ...part, image: count });
  const seen = bench.get(patches, (places - 3) * depth);
  const counted = bench.get(count, pixels);
  const sum = (values: Float32Array): number => values.reduce((total, value) => total + value, 0);
  assert.equal(sum(counted), sum(seen));
  return [seen, counted];
});

function windowTest(kernel: WindowKernel, multiplier: number, call: WindowSizes): void {
  testBoth(`${kernel}, multiplier ${multiplier}`, (bench) => {
    const image = bench.put(call.imageIsOutput ? new Float32Array(pixels) : sequence(pixels, 5));
    const places_ = bench.put(sequence(places * 5 * multiplier, 6));
    const extra = bench.put(call.extra);
    const addresses: WindowCall = { image, places: places_, extra };
    bench.calls.window(kernel, { ...geometry, outChannels: 5 * multiplier }, addresses);
    return [
      bench.get(image, pixels),
      bench.get(places_, places * 5 * multiplier),
      bench.get(extra, call.extra.length),
    ];
  });
}

interface WindowSizes {
  readonly imageIsOutput: boolean;
  readonly extra: Float32Array;
}

test("depthwiseForward: a filter of ones counts what the window sees", () => {
  const bench = new Bench(compiledKernels);
  const image = bench.put(new Float32Array(pixels).fill(1));
  const out = bench.put(new Float32Array(places * 5));
  const extra = bench.put(new Float32Array(3 * 2 * 5).fill(1));
  bench.calls.window("depthwiseForward", geometry, { image, places: out, extra });
  // 3 x 2 taps, less those in the padding above and beside.
  assert.equal(bench.get(out, places * 5)[0], 2);
  assert.equal(bench.get(out, places * 5)[5], 4);
  assert.equal(bench.get(out, places * 5)[5 * 5], 6);
});

for (const multiplier of [1, 3]) {
  const weights = 3 * 2 * 5 * multiplier;
  const extra = sequence(weights, 7);
  windowTest("depthwiseImageGradient", multiplier, { imageIsOutput: true, extra });
  const zeros = new Float32Array(weights);
  windowTest("depthwiseForward", multiplier, { imageIsOutput: false, extra });
  windowTest("depthwiseFilterGradient", multiplier, { imageIsOutput: false, extra: zeros });
}

testBoth("maxPoolGradient: gives away every gradient whose window sees the image", (bench) => {
  const undilated = { ...geometry, dilationWidth: 1 };
  const image = bench.put(new Float32Array(pixels));
  const dy = new Float32Array(places * 5).fill(1);
  const addresses = { image, places: bench.put(dy), extra: bench.put(sequence(pixels, 8)) };
  bench.calls.window("maxPoolGradient", undilated, addresses);
  const result = bench.get(image, pixels);
  assert.equal(
    result.reduce((total, value) => total + value, 0),
    places * 5,
  );
  return [result];
});

testBoth("sumMiddle: widths around the register blocks, many rows, a scale", (bench) =>
  [1, 3, 4, 15, 16, 37].flatMap((inner) =>
    [1, 64, 129].map((middle) => {
      const x = bench.put(sequence(2 * middle * inner, inner));
      const y = bench.put(new Float32Array(2 * inner).fill(Number.NaN));
      bench.calls.sumMiddle(x, y, [2, middle, inner], 0.25);
      return bench.get(y, 2 * inner);
    }),
  ),
);

testBoth("sumSegments: counts rows by id, and leaves out ids that do not exist", (bench) => {
  const x = bench.put(new Float32Array(6 * 5).fill(1));
  const ids = bench.put(new Int32Array([1, 1, 3, -1, 4, 0]));
  const y = bench.put(new Float32Array(4 * 5).fill(Number.NaN));
  bench.calls.sumSegments({ x, ids, y }, { rows: 6, inner: 5, segments: 4 });
  const result = bench.get(y, 4 * 5);
  assert.deepEqual(
    [0, 1, 2, 3].map((segment) => result[segment * 5 + 4]),
    [1, 2, 0, 1],
  );
  return [result];
});

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
  bench.calls.sumMiddle(x, y, [1, 2, 2]);
  bench.memory.grow(1);
  bench.calls.sumMiddle(x, y, [1, 2, 2], 10);
  assert.deepEqual([...bench.get(y, 2)], [40, 60]);
});
