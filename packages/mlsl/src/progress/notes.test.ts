import assert from "node:assert/strict";
import { test } from "node:test";
import { NoteWriter, readNote } from "./notes.js";
import { NOTE_BYTES, NOTES } from "./workerBlock.js";

test("a note is read as it was written, until its place is used again", () => {
  const words = new Int32Array(new SharedArrayBuffer(NOTES * NOTE_BYTES));
  const writer = new NoteWriter(words, 0);
  const value = { kind: "timeout", missing: [1, 2], text: "ü" };
  const place = writer.write(value);
  assert.deepEqual(readNote(words, place), value);
  for (let i = 1; i < NOTES; i++) writer.write(i);
  assert.deepEqual(readNote(words, place), value);
  writer.write("last");
  assert.equal(readNote(words, place), undefined);
});

test("a note that is too long cannot be read, and does no harm to the next", () => {
  const words = new Int32Array(new SharedArrayBuffer(NOTES * NOTE_BYTES));
  const writer = new NoteWriter(words, 0);
  const long = writer.write("x".repeat(2 * NOTE_BYTES));
  const next = writer.write("next");
  assert.equal(readNote(words, long), undefined);
  assert.equal(readNote(words, next), "next");
});
