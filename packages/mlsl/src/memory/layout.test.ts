import assert from "node:assert/strict";
import { test } from "node:test";
import { controlBytes } from "../kernels/exchangeLayout.js";
import {
  arenaOf,
  CONTROL_END,
  CONTROL_OFFSET,
  MAX_LOCAL_RANKS,
  PAGE_BYTES,
  RANKS_OFFSET,
  SLEEPERS_OFFSET,
  STATUS_OFFSET,
  segmentBytesFor,
  WAKES_OFFSET,
} from "./layout.js";

test("arenas are equal, aligned, disjoint, and inside the segment", () => {
  for (const ranks of [1, 2, 3, 7, 9, MAX_LOCAL_RANKS]) {
    const bytes = segmentBytesFor(ranks, 1048576 + 5000);
    assert.equal(bytes % PAGE_BYTES, 0);
    let end = CONTROL_END;
    for (let rank = 0; rank < ranks; rank++) {
      const arena = arenaOf(rank, ranks, bytes);
      assert.equal(arena.byteOffset, end);
      assert.equal(arena.byteOffset % 4096, 0);
      assert.ok(arena.byteLength >= 1048576 + 5000);
      end = arena.byteOffset + arena.byteLength;
    }
    assert.ok(end <= bytes);
  }
});

test("the tables of the largest job fit between their neighbours", () => {
  assert.ok(RANKS_OFFSET + 4 <= SLEEPERS_OFFSET);
  assert.ok(SLEEPERS_OFFSET + MAX_LOCAL_RANKS / 8 <= STATUS_OFFSET);
  assert.ok(STATUS_OFFSET + 4 * MAX_LOCAL_RANKS <= WAKES_OFFSET);
  assert.ok(WAKES_OFFSET + 4 * MAX_LOCAL_RANKS <= CONTROL_OFFSET);
  assert.ok(CONTROL_OFFSET + controlBytes(MAX_LOCAL_RANKS) <= CONTROL_END);
  // Kernels read the bits of sleepers as one number.
  assert.equal(SLEEPERS_OFFSET % 8, 0);
});

test("segmentBytesFor refuses more than WebAssembly can address", () => {
  assert.equal(segmentBytesFor(4, 1073741824 - 1048576), 4294967296 - 3 * 1048576);
  assert.throws(() => segmentBytesFor(4, 1073741824), /4294967296 is the most/);
});

test("arenaOf refuses a segment without room", () => {
  assert.throws(() => arenaOf(0, 2, CONTROL_END), RangeError);
});
