import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineSplitter, MAX_LINE_BYTES } from "./lineSplitter.js";

/** Splits bytes that arrive in chunks of the given sizes, over and over. */
function split(bytes: Buffer, sizes: readonly number[]): string[] {
  const splitter = new LineSplitter();
  const lines: Buffer[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    lines.push(...splitter.push(bytes.subarray(at, at + size)));
    at += size;
  }
  return [...lines, ...splitter.flush()].map((line) => line.toString("utf8"));
}

test("lines come out as they went in, wherever the chunks are cut", () => {
  const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", ""));
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(line), sizes, (lines, chunkSizes) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(""));
      const expected = lines.map((text) => Buffer.from(text).toString("utf8"));
      assert.deepEqual(split(bytes, chunkSizes), expected);
    }),
  );
});

test("a last line without a newline is flushed, and an empty rest is not", () => {
  assert.deepEqual(split(Buffer.from("a\n\nb"), [2]), ["a", "", "b"]);
  assert.deepEqual(split(Buffer.from("a\n"), [1]), ["a"]);
  assert.deepEqual(split(Buffer.alloc(0), [1]), []);
});

test("a line that is too long is cut between characters, and nothing is lost", () => {
  for (const character of ["a", "é", "€", "😀"]) {
    const text = `x${character.repeat(3 * MAX_LINE_BYTES)}`;
    const pieces = split(Buffer.from(`${text}\nnext\n`), [65536]);
    assert.equal(pieces.at(-1), "next");
    assert.equal(pieces.slice(0, -1).join(""), text);
    for (const piece of pieces) assert.ok(Buffer.byteLength(piece) <= MAX_LINE_BYTES);
  }
});

test("a line of exactly the limit is not cut", () => {
  const text = "y".repeat(MAX_LINE_BYTES);
  assert.deepEqual(split(Buffer.from(`${text}\nz\n`), [1000]), [text, "z"]);
});

test("an endless line is passed on while it grows", () => {
  const splitter = new LineSplitter();
  let bytesOut = 0;
  for (let i = 0; i < 64; i++) {
    for (const piece of splitter.push(Buffer.alloc(65536, 1))) bytesOut += piece.length;
    assert.ok((i + 1) * 65536 - bytesOut <= MAX_LINE_BYTES, "no more than one piece is held");
  }
});

test("bytes that are no UTF-8 pass unharmed", () => {
  const bytes = Buffer.alloc(2 * MAX_LINE_BYTES, 0x80);
  const splitter = new LineSplitter();
  assert.deepEqual(Buffer.concat([...splitter.push(bytes), ...splitter.flush()]), bytes);
});
