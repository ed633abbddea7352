import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHeader, headerWords } from "./header.js";

test("a header is taken for what it was written as, and for nothing else", () => {
  const words = new Int32Array(1024);
  assert.throws(() => checkHeader(words, 2), /\[0,0,0\], .* same version of mlsl/);
  for (const [byteOffset, word] of headerWords(2)) words[byteOffset / 4] = word;
  checkHeader(words, 2);
  assert.throws(() => checkHeader(words, 3), RangeError);
});
