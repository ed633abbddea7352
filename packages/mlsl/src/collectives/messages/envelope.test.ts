import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LINE_BYTES } from "../../kernels/exchangeLayout.js";
import { countOf, countWords, ENVELOPE, ENVELOPE_BYTES, INLINE_BYTES } from "./envelope.js";

test("a count of up to 48 bits survives two words, read as signed ones", () => {
  const counts = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    fc.constantFrom(0, 2 ** 31, 2 ** 32),
  );
  fc.assert(
    fc.property(counts, (count) => {
      const words = Int32Array.from(countWords(count));
      assert.equal(countOf(words[0]!, words[1]!), count);
    }),
  );
});

test("sender and receiver write lines of their own, and the data has one to itself", () => {
  const words = Object.values(ENVELOPE);
  assert.equal(new Set(words).size, words.length);
  const lines = (names: readonly (keyof typeof ENVELOPE)[]) => {
    return new Set(names.map((name) => Math.floor((4 * ENVELOPE[name]) / LINE_BYTES)));
  };
  assert.deepEqual(lines(["next", "tag", "address", "staged", "aside", "cut"]), new Set([0]));
  assert.deepEqual(lines(["claim", "taken", "outcome", "passed", "wantedHigh"]), new Set([1]));
  assert.equal(ENVELOPE_BYTES, 2 * LINE_BYTES + INLINE_BYTES);
});
