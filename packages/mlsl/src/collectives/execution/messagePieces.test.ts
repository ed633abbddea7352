import assert from "node:assert/strict";
import { test } from "node:test";
import { segmentBytesFor } from "../../memory/layout.js";
import { joinThreadSegment, newThreadMemory } from "../../memory/segment.js";
import { buildSchedule } from "../../schedules/transport/registry.js";
import { allgatherOperation, barrierOperation } from "../arguments/moves.js";
import { allreduceOperation } from "../arguments/reductions.js";
import type { Operation } from "../operations/operation.js";
import { pieceShape } from "./messagePieces.js";
import { prepare } from "./prepared.js";

const RANKS = 3;
const segment = joinThreadSegment(newThreadMemory(RANKS, segmentBytesFor(RANKS, 1048576)), {
  rank: 0,
  ranks: RANKS,
});

function shapeOf(operation: Operation, inside: boolean, roomBytes: number) {
  const prepared = prepare(operation, segment, { rank: 0, ranks: RANKS });
  const limits = { ranks: RANKS, roomBytes, inside };
  return pieceShape(prepared, limits, (rank, count) => {
    const shape = { rank, ranks: RANKS, root: 0, count };
    return buildSchedule(operation.kind as "allreduce", operation.algorithm.name, shape);
  });
}

test("buffers in the segment are one piece; others are cut to fit the staging blocks", () => {
  const array = new Float32Array(1000);
  const operation = allreduceOperation(array, array, { algorithm: "ring" });
  const whole = shapeOf(operation, true, 1024);
  assert.equal(whole.staged, false);
  assert.deepEqual(
    whole.pieces.map(({ count }) => count),
    [1000],
  );
  const cut = shapeOf(operation, false, 1024);
  assert.ok(cut.staged && cut.sendBytes + cut.recvBytes <= 1024);
  assert.ok(cut.pieces.length > 1);
  let next = 0;
  for (const { count, begin, sendBlocks } of cut.pieces) {
    assert.equal(begin, next);
    assert.deepEqual(sendBlocks, [{ whole: next, part: 0, byteLength: 4 * count }]);
    next += 4 * count;
  }
  assert.equal(next, array.byteLength);
});

test("of blocks every piece has its part of each", () => {
  const send = new Float64Array(100);
  const recv = new Float64Array(300);
  const operation = allgatherOperation(
    send,
    recv,
    { rank: 0, ranks: RANKS },
    { algorithm: "bruck" },
  );
  const { pieces } = shapeOf(operation, false, 2048);
  const covered = new Set<number>();
  for (const { recvBlocks } of pieces) {
    assert.equal(recvBlocks.length, RANKS);
    for (const { whole, byteLength } of recvBlocks) {
      for (let at = whole; at < whole + byteLength; at += 8) {
        assert.ok(!covered.has(at));
        covered.add(at);
      }
    }
  }
  assert.equal(covered.size, 300);
});

test("a barrier is one piece, nothing is none, and what cannot fit is refused", () => {
  const barrier = barrierOperation({ algorithm: "dissemination" });
  assert.equal(shapeOf(barrier, true, 1024).pieces.length, 1);
  const nothing = new Float32Array(0);
  const empty = allreduceOperation(nothing, nothing, { algorithm: "ring" });
  assert.equal(shapeOf(empty, false, 1024).pieces.length, 0);
  const array = new Float32Array(10);
  const operation = allreduceOperation(array, array, { algorithm: "ring" });
  assert.throws(() => shapeOf(operation, false, 64), /use algorithm direct/);
});
