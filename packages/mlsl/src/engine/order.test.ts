import assert from "node:assert/strict";
import { test } from "node:test";
import { ORDER_MODES, urgencyOf } from "./order.js";

/** Requests as (priority, order), the most urgent first. */
function sorted(mode: (typeof ORDER_MODES)[number], list: readonly [number | undefined, number][]) {
  return [...list].sort((a, b) => urgencyOf(mode, ...a) - urgencyOf(mode, ...b));
}

test("fifo takes the oldest first, lifo the newest, whatever their priority", () => {
  const list: [number, number][] = [
    [5, 0],
    [1, 1],
    [9, 2],
  ];
  assert.deepEqual(sorted("fifo", list), list);
  assert.deepEqual(sorted("lifo", list), list.toReversed());
});

test("priority takes the smallest number first; without numbers the newest", () => {
  assert.deepEqual(
    sorted("priority", [
      [5, 0],
      [1, 1],
      [9, 2],
    ]).map(([priority]) => priority),
    [1, 5, 9],
  );
  assert.deepEqual(
    sorted("priority", [
      [undefined, 3],
      [0, 4],
      [undefined, 5],
    ]).map(([, order]) => order),
    [5, 3, 4],
  );
  assert.deepEqual(ORDER_MODES, ["priority", "lifo", "fifo"]);
});
