import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Details, detailsBytes } from "./details.js";

const RANKS = 5;
/** The second of two blocks: whoever writes beyond it, or before it, is found. */
const BLOCK = Math.ceil(detailsBytes(RANKS) / 64) * 64;

function newBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(3 * BLOCK);
}

test("texts come back whole, in any script, and do not reach the tables", () => {
  const tables = {
    sendCounts: [1, 2, 3, 4, 5],
    sendOffsets: [6, 7, 8, 9, 10],
    recvCounts: [11, 12, 13, 14, 15],
    recvOffsets: [0, 0, 2 ** 52, 1, 3 * 2 ** 30],
  };
  for (const text of ["", 'operator "größte Zahl"', "和".repeat(64), "x".repeat(200)]) {
    const details = new Details(newBuffer(), RANKS);
    details.write(BLOCK, text, tables);
    assert.equal(details.text(BLOCK), text);
    const read = details.tables(BLOCK);
    for (const [name, numbers] of Object.entries(tables)) {
      assert.deepEqual([...Float64Array.from(read[name as keyof typeof tables])], numbers, name);
    }
  }
});

test("a text that is too long is cut and changes nothing else", () => {
  const buffer = newBuffer();
  const details = new Details(buffer, RANKS);
  const tables = { sendCounts: [1], sendOffsets: [2], recvCounts: [3], recvOffsets: [4] };
  details.write(BLOCK, "long ".repeat(1000), tables);
  assert.ok("long ".repeat(1000).startsWith(details.text(BLOCK)));
  assert.ok(details.text(BLOCK).length > 200);
  assert.equal(details.tables(BLOCK).sendCounts[0], 1);
  for (const untouched of [0, 2 * BLOCK]) {
    assert.ok(new Uint8Array(buffer, untouched, BLOCK).every((byte) => byte === 0));
  }
});

test("what was read stays when the rank writes its next", () => {
  const counts = fc.array(fc.nat(2 ** 31), { minLength: RANKS, maxLength: RANKS });
  fc.assert(
    fc.property(counts, counts, (first, second) => {
      const details = new Details(newBuffer(), RANKS);
      const tablesOf = (numbers: number[]) => {
        return {
          sendCounts: numbers,
          sendOffsets: numbers,
          recvCounts: numbers,
          recvOffsets: numbers,
        };
      };
      details.write(BLOCK, "", tablesOf(first));
      const read = details.tables(BLOCK);
      details.write(BLOCK, "", tablesOf(second));
      assert.deepEqual(Array.from(read.recvOffsets), first);
      assert.deepEqual(Array.from(details.tables(BLOCK).sendCounts), second);
    }),
    { numRuns: 30 },
  );
});
