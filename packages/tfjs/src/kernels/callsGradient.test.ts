// The kernels of gradients, normalisation and updates; compiled and plain.
import assert from "node:assert/strict";
import { testBoth } from "./fixtures/bench.js";
import { sequence } from "./fixtures/numbers.js";

testBoth("gateGradient: open within the bounds, bounds included", (bench) => {
  const x = bench.put(new Float32Array([-1, 0, 0.5, 6, 6.5, Number.NaN]));
  const dy = bench.put(new Float32Array(6).fill(3));
  const dx = bench.put(new Float32Array(6).fill(Number.NaN));
  bench.calls.gateGradient({ x, dy, dx }, 6, [0, 6]);
  assert.deepEqual([...bench.get(dx, 6)], [0, 3, 3, 3, 0, 0]);
  return [];
});

testBoth("spreadMiddle: every row of the middle is the scaled row", (bench) =>
  [1, 4, 7].map((inner) => {
    const x = bench.put(Float32Array.from({ length: 2 * inner }, (_, i) => i));
    const y = bench.put(new Float32Array(2 * 3 * inner).fill(Number.NaN));
    bench.calls.spreadMiddle(x, y, [2, 3, inner], 0.5);
    const result = bench.get(y, 2 * 3 * inner);
    for (let i = 0; i < result.length; i++) {
      const from = Math.floor(i / (3 * inner)) * inner + (i % inner);
      assert.equal(result[i], from / 2);
    }
    return result;
  }),
);

testBoth("batchNormForward: standardised values have mean 0 and variance 1", (bench) => {
  // Rows 1 and 3 of every channel: mean 2, variance 1.
  const channels = 6;
  const x = bench.put(
    Float32Array.from({ length: 2 * channels }, (_, i) => (i < channels ? 1 : 3)),
  );
  const y = bench.put(new Float32Array(2 * channels));
  const byChannel = (value: number): number => bench.put(new Float32Array(channels).fill(value));
  const call = {
    ...{ x, y, rows: 2, channels, epsilon: 0 },
    ...{ mean: byChannel(2), variance: byChannel(1), scratch: bench.put(new Float32Array(12)) },
  };
  bench.calls.batchNormForward({ ...call, scale: 0, offset: 0 });
  const plain = bench.get(y, 2 * channels);
  assert.ok(plain.every((value, i) => value === (i < channels ? -1 : 1)));
  bench.calls.batchNormForward({ ...call, scale: byChannel(4), offset: byChannel(10) });
  assert.deepEqual([...bench.get(y, 2)], [6, 6]);
  return [plain, bench.get(y, 2 * channels)];
});

testBoth("batchNormGradient: more rows than are summed at once", (bench) => {
  const [rows, channels] = [150, 7];
  const out = (count: number): number => bench.put(new Float32Array(count).fill(Number.NaN));
  const call = {
    x: bench.put(sequence(rows * channels, 1)),
    dy: bench.put(sequence(rows * channels, 2)),
    dx: out(rows * channels),
    mean: bench.put(sequence(channels, 3)),
    variance: bench.put(sequence(channels, 4).map((value) => value * value + 0.1)),
    scale: bench.put(sequence(channels, 5)),
    dMean: out(channels),
    dVariance: out(channels),
    dScale: out(channels),
    dOffset: out(channels),
  };
  bench.calls.batchNormGradient({ ...call, rows, channels, epsilon: 1e-3 });
  const { dMean, dVariance, dScale, dOffset } = call;
  return [
    bench.get(call.dx, rows * channels),
    ...[dMean, dVariance, dScale, dOffset].map((address) => bench.get(address, channels)),
  ];
});

for (const kernel of ["descentUpdate", "momentumUpdate", "adamUpdate"] as const) {
  for (const nesterov of [false, true]) {
    testBoth(`${kernel}, Nesterov's form ${nesterov}`, (bench) => {
      const count = 11;
      const put = (seed: number): number => bench.put(sequence(count, seed));
      const out = (): number => bench.put(new Float32Array(count));
      const results = { newValue: out(), newFirst: out(), newSecond: out() };
      const second = bench.put(sequence(count, 4).map((value) => value * value));
      bench.calls.update(kernel, {
        ...{ value: put(1), gradient: put(2), first: put(3), second, count, ...results },
        ...{ step: -0.1, decays: [0.9, 0.99], corrections: [0.5, 0.25], epsilon: 1e-7, nesterov },
      });
      return Object.values(results).map((address) => bench.get(address, count));
    });
  }
}
