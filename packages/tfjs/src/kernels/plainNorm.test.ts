// Batch normalisation, compiled and plain.
import assert from "node:assert/strict";
import { testBoth } from "./fixtures/bench.js";
import { sequence } from "./fixtures/numbers.js";

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
