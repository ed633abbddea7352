import assert from "node:assert/strict";
import { test } from "node:test";
import {
  controlLayout,
  INLINE_BYTES,
  INLINE_OFFSET,
  LINE,
  LINE_BYTES,
  REQUEST,
  REQUEST_BYTES,
  SLOT_BYTES,
} from "./exchangeLayout.js";

test("the parts of a control block follow each other on cache lines without overlap", () => {
  for (const ranks of [1, 2, 3, 9, 64]) {
    const base = 4096;
    const { sleepers, wakeCount, lines, phases, slots, byteLength } = controlLayout(base, ranks);
    assert.deepEqual([sleepers, wakeCount], [base, base + 4]);
    const starts = [base, lines[0], lines[1], phases, slots[0], slots[1], base + byteLength];
    const lengths = starts.slice(1).map((start, i) => start - starts[i]!);
    const row = ranks * LINE_BYTES;
    assert.deepEqual(lengths, [LINE_BYTES, row, row, row, ranks * SLOT_BYTES, ranks * SLOT_BYTES]);
  }
});

test("the words that a request copies into a line stand in the same order in both", () => {
  const copied = ["kind", "countLow", "countHighAndRoot", "send", "recv", "staging"] as const;
  copied.forEach((name, i) => {
    assert.equal(LINE[name], 1 + i);
    assert.equal(REQUEST[name], REQUEST.kind + i);
  });
  assert.ok(4 * (LINE.staging + 1) <= INLINE_OFFSET);
  assert.equal(INLINE_OFFSET + INLINE_BYTES, LINE_BYTES);
  assert.equal(4 * Object.keys(REQUEST).length, REQUEST_BYTES);
});
