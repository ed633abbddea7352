import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkBytesFor, windowBytesFor } from "./chunkSize.js";

test("a chunk takes eight latencies, as a power of two within its limits", () => {
  // 20 µs at 1.25 GB/s are 25,000 bytes; eight of them 200,000.
  assert.equal(chunkBytesFor({ latencyMs: 0.02, bandwidthGBps: 1.25 }), 131072);
  assert.equal(chunkBytesFor({ latencyMs: 0, bandwidthGBps: 1.25 }), 4096);
  assert.equal(chunkBytesFor({ latencyMs: 10, bandwidthGBps: 10 }), 1048576);
});

test("the window holds what is on the way there and back, and two chunks", () => {
  assert.equal(windowBytesFor({ latencyMs: 0.02, bandwidthGBps: 1.25 }, 131072), 50000 + 262144);
});

test("figures that no link has are an error", () => {
  for (const link of [
    { latencyMs: -1, bandwidthGBps: 1 },
    { latencyMs: 1, bandwidthGBps: 0 },
    { latencyMs: Number.NaN, bandwidthGBps: 1 },
  ]) {
    assert.throws(() => chunkBytesFor(link), /Cannot choose a chunk size: expected a latency/);
  }
});
