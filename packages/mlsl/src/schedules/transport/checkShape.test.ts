import assert from "node:assert/strict";
import { test } from "node:test";
import { checkShape } from "./checkShape.js";
import type { ShapeOf, TransportKind } from "./shapes.js";

function refused<K extends TransportKind>(kind: K, shape: ShapeOf[K], message: string): void {
  assert.throws(() => checkShape(kind, shape), new RangeError(`Cannot build schedule: ${message}`));
}

test("checkShape refuses impossible places", () => {
  refused("barrier", { rank: 0, ranks: 0 }, '"ranks" must be an integer from 1 to 1024, got 0');
  refused(
    "barrier",
    { rank: 0, ranks: 1025 },
    '"ranks" must be an integer from 1 to 1024, got 1025',
  );
  refused("barrier", { rank: -1, ranks: 4 }, '"rank" must be an integer from 0 to 3, got -1');
  refused(
    "broadcast",
    { rank: 0, ranks: 4, root: 4, count: 1 },
    '"root" must be an integer from 0 to 3, got 4',
  );
});

test("checkShape refuses counts that are none, or whose sum is not exact", () => {
  const limit = Math.floor(Number.MAX_SAFE_INTEGER / 2);
  for (const count of [-1, 0.5, Number.NaN, limit + 1]) {
    refused(
      "allreduce",
      { rank: 0, ranks: 2, count },
      `"count" must be an integer from 0 to ${limit}, got ${count}`,
    );
  }
  checkShape("allreduce", { rank: 0, ranks: 2, count: limit });
});

test("checkShape refuses lists that do not fit the ranks", () => {
  refused(
    "reduceScatterv",
    { rank: 0, ranks: 3, counts: [1, 2] },
    '"counts" must have 3 items, one per rank, got 2',
  );
  refused(
    "allgatherv",
    { rank: 0, ranks: 2, counts: [1, 2], offsets: [0, -1] },
    `"offsets[1]" must be an integer from 0 to ${Math.floor(Number.MAX_SAFE_INTEGER / 2)}, got -1`,
  );
});

test("checkShape wants the root's blocks, and them to agree with its count", () => {
  const shape = { rank: 1, ranks: 2, root: 1, count: 3 };
  refused("gatherv", shape, '"blocks" is missing: the root, 1, needs it');
  refused(
    "scatterv",
    { ...shape, blocks: { counts: [1, 2], offsets: [0, 1] } },
    '"blocks.counts[1]" must be the root\'s count, 3, got 2',
  );
  checkShape("gatherv", { ...shape, blocks: { counts: [1, 3], offsets: [0, 1] } });
  checkShape("gatherv", { ...shape, rank: 0 });
});
