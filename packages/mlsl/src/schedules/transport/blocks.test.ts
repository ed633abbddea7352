import assert from "node:assert/strict";
import { test } from "node:test";
import { adjacentBlocks, blockRegions, evenBlocks, listedBlocks, prefixSums } from "./blocks.js";

test("evenBlocks cover a vector once, in order, none longer than another by more than one", () => {
  for (let ranks = 1; ranks <= 64; ranks++) {
    for (const count of [0, 1, 2, 63, 64, 65, 1009, 3221225472, 3221225473]) {
      const blocks = evenBlocks(count, ranks);
      let end = 0;
      for (let i = 0; i < ranks; i++) {
        assert.equal(blocks.offset(i), end);
        assert.ok(blocks.count(0) - blocks.count(i) <= 1 && blocks.count(i) <= blocks.count(0));
        end += blocks.count(i);
      }
      assert.equal(end, count);
    }
  }
});

test("prefixSums ends with the total, and keeps 53 bits", () => {
  assert.deepEqual(prefixSums([]), [0]);
  assert.deepEqual(prefixSums([2 ** 52, 0, 1]), [0, 2 ** 52, 2 ** 52, 2 ** 52 + 1]);
});

test("blockRegions joins blocks that touch, and leaves out empty ones", () => {
  const all = (counts: number[], offsets: number[]) =>
    blockRegions("recv", listedBlocks(counts, offsets), { first: 0, end: counts.length }).map(
      ({ offset, count }) => [offset, count],
    );
  assert.deepEqual(all([2, 3, 1], [0, 2, 5]), [[0, 6]]);
  assert.deepEqual(all([2, 0, 1], [0, 9, 2]), [[0, 3]]);
  assert.deepEqual(all([2, 3, 1], [5, 1, 4]), [
    [5, 2],
    [1, 4],
  ]);
  assert.deepEqual(all([0, 0], [0, 0]), []);
});

test("adjacentBlocks lie one after the other", () => {
  const blocks = adjacentBlocks([3, 0, 4]);
  assert.deepEqual([0, 1, 2].map(blocks.offset), [0, 3, 3]);
});
