// Matrix products and sums, compiled and plain.
import assert from "node:assert/strict";
import { treeLeaves, treeLevels } from "./batchTree.js";
import { testBoth } from "./fixtures/bench.js";
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

testBoth("gemm: leaves in the order of a plan, whole tiles and their rests", (bench) =>
  [17, 64, 131, 256].flatMap((k) =>
    [
      [8, 16],
      [7, 13],
      [133, 3],
    ].map(([m = 0, n = 0]) => {
      const a = bench.put(sequence(k * m, k));
      const b = bench.put(sequence(k * n, m));
      const c = bench.put(new Float32Array(m * n).fill(Number.NaN));
      const strides = { aStrides: [1, m], bStrides: [n, 1] } as const;
      bench.calls.gemm({ a, b, c, m, n, k, ...strides, leaves: treeLeaves(k) });
      return bench.get(c, m * n);
    }),
  ),
);

testBoth("gemm: runs with gaps count only what lies in them", (bench) => {
  // Runs of 6 with gaps of 4 in B and of 9 in A; two of the first one are passed. Ones count.
  const [m, n, k] = [5, 9, 300];
  const inRun = (l: number, gap: number): boolean => (l + 2) % (6 + gap) < 6;
  const spread = (width: number, gap: number): Float32Array =>
    Float32Array.from({ length: width * 900 }, (_, i) =>
      inRun(Math.floor(i / width), gap) ? 1 : Number.NaN,
    );
  const a = bench.put(spread(m, 9));
  const b = bench.put(spread(n, 4));
  const c = bench.put(new Float32Array(m * n));
  const runs = { length: 6, passed: 2, aSkip: 9 * m, bSkip: 4 * n };
  bench.calls.gemm({ a, b, c, m, n, k, aStrides: [1, m], bStrides: [n, 1], runs });
  assert.deepEqual([...bench.get(c, m * n)], Array(m * n).fill(k));
  return [];
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

testBoth("sumMiddle: widths around the register blocks, many rows, a scale", (bench) =>
  [1, 3, 4, 15, 16, 37].flatMap((inner) =>
    [1, 64, 129].map((middle) => {
      const x = bench.put(sequence(2 * middle * inner, inner));
      const y = bench.put(new Float32Array(2 * inner).fill(Number.NaN));
      bench.calls.sumMiddle({ x, y, shape: [2, middle, inner], scale: 0.25 });
      return bench.get(y, 2 * inner);
    }),
  ),
);

testBoth("sumMiddle: samples as a tree, of one row and of many", (bench) =>
  [1, 5, 16].flatMap((inner) =>
    [1, 3, 70].map((unit) => {
      const samples = 37;
      const x = bench.put(sequence(samples * unit * inner, inner));
      const y = bench.put(new Float32Array(inner).fill(Number.NaN));
      const scratch = bench.put(new Float32Array(treeLevels(samples) * inner));
      bench.calls.sumMiddle({ x, y, shape: [1, samples * unit, inner], samples, scratch });
      return bench.get(y, inner);
    }),
  ),
);

testBoth("addFloats adds so many and no more", (bench) => {
  const to = bench.put(new Float32Array(9).fill(1));
  bench.calls.addFloats(to, bench.put(sequence(9, 1)), 7);
  const sum = bench.get(to, 9);
  assert.deepEqual([...sum.subarray(7)], [1, 1]);
  return [sum];
});

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
