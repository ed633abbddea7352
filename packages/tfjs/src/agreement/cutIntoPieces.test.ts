import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutIntoPieces } from "./cutIntoPieces.js";

test("every element is in one place, in order, and all pieces but the last are full", () => {
  const counts = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 50 }), (arrays, capacity) => {
      const pieces = cutIntoPieces(arrays, capacity);
      const seen: string[] = [];
      for (const [number, { count, parts }] of pieces.entries()) {
        const isLast = number === pieces.length - 1;
        assert.ok(isLast ? count > 0 && count <= capacity : count === capacity);
        let at = 0;
        for (const part of parts) {
          assert.ok(part.count > 0);
          assert.equal(part.at, at);
          at += part.count;
          for (let i = 0; i < part.count; i++) seen.push(`${part.index}:${part.from + i}`);
        }
        assert.equal(at, count);
      }
      const expected = arrays.flatMap((count, index) =>
        Array.from({ length: count }, (_, i) => `${index}:${i}`),
      );
      assert.deepEqual(seen, expected);
    }),
  );
});

test("a buffer without room is an error", () => {
  for (const capacity of [0, -1, Number.NaN]) {
    assert.throws(() => cutIntoPieces([3], capacity), RangeError);
  }
});
