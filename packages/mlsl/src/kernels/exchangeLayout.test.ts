import assert from "node:assert/strict";
import { test } from "node:test";
import {
  controlBytes,
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
    const { left, lines, phases, mailboxes, slots } = controlLayout(base, ranks);
    const end = base + controlBytes(ranks);
    const starts = [left, lines[0], lines[1], phases, mailboxes, slots[0], slots[1], end];
    assert.equal(left, base);
    const lengths = starts.slice(1).map((start, i) => start - starts[i]!);
    const [row, slotRow] = [ranks * LINE_BYTES, ranks * SLOT_BYTES];
    assert.deepEqual(lengths, [LINE_BYTES, row, row, row, row, slotRow, slotRow]);
  }
});

test("the words that a request copies into a line stand in the same order in both", () => {
  const copied = [
    "kind",
    "countLow",
    "countHighAndRoot",
    "send",
    "recv",
    "details",
    "extra",
  ] as const;
  copied.forEach((name, i) => {
    assert.equal(LINE[name], 1 + i);
    assert.equal(REQUEST[name], REQUEST.kind + i);
  });
  assert.ok(4 * (LINE.extra + 1) <= INLINE_OFFSET);
  assert.equal(INLINE_OFFSET + INLINE_BYTES, LINE_BYTES);
  assert.equal(new Set(Object.values(REQUEST)).size, Object.keys(REQUEST).length);
  assert.ok(4 * (Math.max(...Object.values(REQUEST)) + 1) <= REQUEST_BYTES);
  // The kernels read both masks as one number of 64 bits.
  assert.equal(REQUEST.maskLow % 2, 0);
  assert.equal(REQUEST.maskHigh, REQUEST.maskLow + 1);
});
