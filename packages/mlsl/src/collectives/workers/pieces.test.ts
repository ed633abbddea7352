import assert from "node:assert/strict";
import { test } from "node:test";
import { soloSegment } from "../../memory/segment.js";
import { alltoallOperation } from "../arguments/moves.js";
import { allreduceOperation } from "../arguments/reductions.js";
import { prepare } from "../execution/prepared.js";
import { piecesOf } from "./pieces.js";

const SHAPE = { rank: 0, ranks: 1 };
const segment = soloSegment();
const pieceBytes = segment.arenaBytes / 4;

test("short vectors and blocks stay whole", () => {
  const short = new Float32Array(1000);
  const vector = prepare(allreduceOperation(short, short), segment, SHAPE);
  assert.deepEqual(piecesOf(vector, segment, SHAPE), [vector]);
  const long = new Uint8Array(pieceBytes + 1);
  const blocks = prepare(alltoallOperation(long, long, SHAPE), segment, SHAPE);
  assert.deepEqual(piecesOf(blocks, segment, SHAPE), [blocks]);
});

test("pieces cover a long vector, in place as it is, under the fingerprint of the whole", () => {
  const long = new Float64Array(Math.floor((2.5 * pieceBytes) / 8));
  const vector = prepare(allreduceOperation(long, long), segment, SHAPE);
  const pieces = piecesOf(vector, segment, SHAPE);
  assert.equal(pieces.length, 3);
  let next = 0;
  for (const { operation, print } of pieces) {
    assert.deepEqual(print, vector.print);
    assert.equal(operation.send!.byteOffset, next);
    assert.equal(operation.recv!.byteOffset, next);
    assert.equal(operation.send!.length, operation.count);
    next += operation.send!.byteLength;
  }
  assert.equal(next, long.byteLength);
});
