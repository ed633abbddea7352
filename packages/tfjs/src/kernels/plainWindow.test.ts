// The kernels that slide a window over an image, compiled and plain.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { WindowCall, WindowGeometry, WindowKernel } from "./calls.js";
import { compiledKernels } from "./compiled.js";
import { Bench, testBoth } from "./fixtures/bench.js";
import { sequence } from "./fixtures/numbers.js";

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

testBoth(
  "patches and filter gradients of every third sample are those of these samples",
  (bench) => {
    const [step, samples] = [3, 2];
    const images = sequence(step * samples * (pixels / 2), 3);
    const dys = sequence(step * samples * (places / 2) * 5, 4);
    /** Every third sample. */
    const third = (values: Float32Array): Float32Array => {
      const size = values.length / step / samples;
      return Float32Array.from({ length: size * samples }, (_, i) => {
        const sample = Math.floor(i / size);
        return values[sample * step * size + (i % size)]!;
      });
    };
    const results = (image: Float32Array, dy: Float32Array, sampleStep: number): Float32Array[] => {
      const patches = bench.put(new Float32Array((places - 5) * depth));
      const filter = bench.put(new Float32Array(depth));
      const at = bench.put(image);
      const part = { image: at, places: patches, firstRow: 5, rows: places - 5, sampleStep };
      bench.calls.window("imageToPatches", geometry, part);
      const all = { image: at, places: bench.put(dy), extra: filter, sampleStep };
      bench.calls.window("depthwiseFilterGradient", geometry, all);
      return [bench.get(patches, (places - 5) * depth), bench.get(filter, depth)];
    };
    const dealt = results(images, dys, step);
    assert.deepEqual(dealt, results(third(images), third(dys), 1));
    return dealt;
  },
);

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
