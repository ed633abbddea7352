import assert from "node:assert/strict";
import { test } from "node:test";
import { workerFigures } from "./workerFigures.js";

test("two times of as many bytes give what a chunk and what a byte costs", () => {
  // 2 µs a chunk and 8 GB/s: 8 MB take 1 ms.
  const small = { byteLength: 8e6, chunkBytes: 4000, tookMs: 1 + 2000 * 0.002 };
  const large = { byteLength: 8e6, chunkBytes: 1e6, tookMs: 1 + 8 * 0.002 };
  assert.deepEqual(workerFigures(small, large), { overheadMs: 0.002, bandwidthGBps: 8 });
});

test("noise never makes figures that no link has", () => {
  const small = { byteLength: 8e6, chunkBytes: 4000, tookMs: 0.9 };
  const large = { byteLength: 8e6, chunkBytes: 1e6, tookMs: 1 };
  assert.deepEqual(workerFigures(small, large), { overheadMs: 0.00001, bandwidthGBps: 8 });
  const jumpy = workerFigures({ ...small, tookMs: 1000 }, large);
  assert.ok(jumpy.overheadMs > 0.4 && jumpy.bandwidthGBps > 0);
});
