import assert from "node:assert/strict";
import { test } from "node:test";
import { sliceOf } from "./slices.js";

const LENGTHS = [0, 1, 4, 63, 64, 65, 127, 128, 129, 1000, 4096, 65536, 65540, 1000003];

test("slices cover a buffer exactly once, in order, at cache lines, for 1 to 64 ranks", () => {
  for (let ranks = 1; ranks <= 64; ranks++) {
    for (const byteLength of LENGTHS) {
      let end = 0;
      for (let rank = 0; rank < ranks; rank++) {
        const slice = sliceOf(byteLength, rank, ranks);
        assert.equal(slice.begin, end, `${byteLength} bytes, rank ${rank} of ${ranks}`);
        assert.ok(slice.end >= slice.begin);
        if (slice.begin < byteLength) assert.equal(slice.begin % 64, 0);
        end = slice.end;
      }
      assert.equal(end, byteLength);
    }
  }
});

test("no slice is more than a line longer than another", () => {
  for (const byteLength of LENGTHS) {
    const lengths = Array.from({ length: 7 }, (_, rank) => {
      const { begin, end } = sliceOf(byteLength, rank, 7);
      return Math.ceil((end - begin) / 64);
    });
    assert.ok(Math.max(...lengths) - Math.min(...lengths) <= 1);
  }
});
