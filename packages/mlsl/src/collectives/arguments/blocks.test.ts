import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { blockLayout, checkDisjoint, checkFits } from "./blocks.js";

test("blocks lie one after the other, unless offsets say where; later changes do not matter", () => {
  const counts = [3, 0, 2];
  const plain = blockLayout("gatherv", "counts", counts, { ranks: 3 });
  const offsets = [4, 0, 1];
  const placed = blockLayout("gatherv", "counts", counts, { ranks: 3, offsets });
  counts[0] = 99;
  offsets[0] = 99;
  assert.deepEqual(plain, { counts: [3, 0, 2], offsets: [0, 3, 3] });
  assert.deepEqual(placed, { counts: [3, 0, 2], offsets: [4, 0, 1] });
});

test("X-3 places are exact beyond 2³² elements", () => {
  const counts = [3 * 2 ** 30, 3 * 2 ** 30, 1];
  const { offsets } = blockLayout("gatherv", "counts", counts, { ranks: 3 });
  assert.deepEqual(offsets, [0, 3 * 2 ** 30, 6 * 2 ** 30]);
});

test("numbers that are none are refused with name and rank", () => {
  const layout = (numbers: unknown, offsets?: unknown) =>
    blockLayout("alltoallv", "sendCounts", numbers as number[], {
      ranks: 2,
      offsets: offsets as number[] | undefined,
    });
  assert.throws(
    () => layout(undefined),
    /^TypeError: Cannot alltoallv: sendCounts must hold a number for each of the 2 ranks, got undefined$/,
  );
  assert.throws(() => layout([1]), /^TypeError: .* 2 ranks, got 1$/);
  assert.throws(() => layout(Int32Array.of(1, 1)), TypeError);
  assert.throws(
    () => layout([1, 1.5]),
    /^RangeError: Cannot alltoallv: sendCounts must be whole numbers of elements, got 1.5 for rank 1$/,
  );
  assert.throws(() => layout([1, 2 ** 53]), RangeError);
  assert.throws(() => layout(new Array(2)), /got undefined for rank 0$/);
  assert.throws(() => layout([1, 1], [0]), /^TypeError: Cannot alltoallv: sendOffsets must hold/);
  assert.throws(() => layout([1, 1], [0, -1]), /sendOffsets must be .*got -1 for rank 1$/);
});

const blocks = fc.array(fc.record({ count: fc.nat(4), offset: fc.nat(20) }), { maxLength: 6 });

/** How many blocks hold each element. */
function holders(layout: readonly { count: number; offset: number }[]): Map<number, number> {
  const found = new Map<number, number>();
  for (const { count, offset } of layout) {
    for (let i = offset; i < offset + count; i++) found.set(i, (found.get(i) ?? 0) + 1);
  }
  return found;
}

test("blocks are refused when, and only when, they share an element or leave the array", () => {
  fc.assert(
    fc.property(blocks, fc.nat(24), (layout, length) => {
      const counts = layout.map(({ count }) => count);
      const offsets = layout.map(({ offset }) => offset);
      const shared = [...holders(layout).values()].some((n) => n > 1);
      const disjoint = () => checkDisjoint("gatherv", "recv", { counts, offsets });
      if (shared)
        assert.throws(disjoint, /^RangeError: Cannot gatherv: the blocks of ranks \d and \d/);
      else disjoint();
      const leaves = layout.some(({ count, offset }) => offset + count > length);
      const fits = () => checkFits("gatherv", "recv", new Uint8Array(length), { counts, offsets });
      if (leaves)
        assert.throws(fits, /^RangeError: Cannot gatherv: rank \d's \d elements from \d+ on/);
      else fits();
    }),
  );
});
