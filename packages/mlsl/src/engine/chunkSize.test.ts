import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkBytesFor, windowBytesFor } from "./chunkSize.js";

test("a chunk takes sixteen overheads, as a power of two within its limits", () => {
  // 2 µs at 1.25 GB/s are 2,500 bytes; sixteen of them 40,000.
  assert.equal(chunkBytesFor({ overheadMs: 0.002, bandwidthGBps: 1.25 }), 32768);
  assert.equal(chunkBytesFor({ overheadMs: 0, bandwidthGBps: 1.25 }), 4096);
  assert.equal(chunkBytesFor({ overheadMs: 10, bandwidthGBps: 10 }), 1048576);
});

test("the window holds what is on the way there and back, and two chunks", () => {
  const link = { latencyMs: 0.02, overheadMs: 0.002, bandwidthGBps: 1.25 };
  assert.equal(windowBytesFor(link, 131072), 50000 + 262144);
});

test("figures that no link has are an error", () => {
  for (const link of [
    { overheadMs: -1, bandwidthGBps: 1 },
    { overheadMs: 1, bandwidthGBps: 0 },
    { overheadMs: Number.NaN, bandwidthGBps: 1 },
  ]) {
    assert.throws(() => chunkBytesFor(link), /Cannot choose a chunk size: expected an overhead/);
  }
});
