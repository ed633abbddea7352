import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTROL_OFFSET, MAX_LOCAL_RANKS, WORKERS_OFFSET } from "../memory/layout.js";
import {
  findWorkerBlock,
  publishWorkerBlocks,
  workerBlocksBytes,
  workerLayout,
} from "./workerBlock.js";

test("the parts of a block follow each other at cache lines", () => {
  for (const ranks of [1, 2, 7, MAX_LOCAL_RANKS]) {
    const layout = workerLayout(ranks);
    const starts = Object.values(layout);
    assert.deepEqual(
      starts,
      [...starts].sort((a, b) => a - b),
    );
    assert.equal(new Set(starts).size, starts.length);
    for (const start of starts) assert.equal(start % 64, 0);
    assert.equal(workerBlocksBytes(ranks, 3), 3 * layout.byteLength);
  }
});

test("blocks are found by rank and worker once they are known, at any address", () => {
  assert.ok(WORKERS_OFFSET + 4 * MAX_LOCAL_RANKS <= CONTROL_OFFSET);
  const words = new Int32Array(CONTROL_OFFSET / 4);
  const place = { rank: 63, worker: 1 };
  assert.equal(findWorkerBlock(words, 2, place), undefined);
  publishWorkerBlocks(words, 63, 4000000000);
  const { byteLength } = workerLayout(2);
  assert.equal(findWorkerBlock(words, 2, place), 4000000000 + byteLength);
  assert.equal(findWorkerBlock(words, 2, { rank: 62, worker: 0 }), undefined);
});
