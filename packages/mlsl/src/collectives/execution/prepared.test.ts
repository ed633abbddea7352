import assert from "node:assert/strict";
import { test } from "node:test";
import { SLOT_BYTES } from "../../kernels/exchangeLayout.js";
import { executionContexts } from "../../testing/executionContexts.js";
import {
  allgatherOperation,
  alltoallOperation,
  barrierOperation,
  broadcastOperation,
  scatterOperation,
} from "../arguments/moves.js";
import { allreduceOperation, reduceOperation } from "../arguments/reductions.js";
import { allgathervOperation } from "../arguments/variable.js";
import type { Operation } from "../operations/operation.js";
import { defineOperator } from "../operations/operators.js";
import { type Prepared, prepare } from "./prepared.js";

const SHAPE = { rank: 1, ranks: 4 };
const { segment } = executionContexts(4)[1]!;

function prepared(operation: Operation): Prepared {
  return prepare(operation, segment, SHAPE);
}

const inside = segment.allocate("float32", 4096);
const outside = new Float32Array(4096);

test("arrays inside the segment are known by their place, those outside are staged", () => {
  const there = prepared(allreduceOperation(inside, inside));
  assert.equal(there.send, inside.byteOffset);
  assert.equal(there.recv, inside.byteOffset);
  assert.deepEqual([there.staged, there.recvOutside], [false, false]);
  const elsewhere = prepared(allreduceOperation(outside, outside));
  assert.deepEqual([elsewhere.send, elsewhere.recv], [undefined, undefined]);
  assert.deepEqual([elsewhere.staged, elsewhere.recvOutside], [true, true]);
});

test("data travels with the meeting up to a slot for all blocks of a rank, if counts are the same", () => {
  const count = SLOT_BYTES / 4;
  const part = (elements: number) => inside.subarray(0, elements);
  const isSmall = (operation: Operation) => prepared(operation).small;
  assert.equal(isSmall(allreduceOperation(part(count), part(count))), true);
  assert.equal(isSmall(allreduceOperation(part(count + 1), part(count + 1))), false);
  assert.equal(isSmall(alltoallOperation(part(count), part(count), SHAPE)), true);
  assert.equal(isSmall(alltoallOperation(part(count + 4), part(count + 4), SHAPE)), false);
  assert.equal(isSmall(barrierOperation()), true);
  const counts = [1, 1, 1, 1];
  const variable = allgathervOperation(part(1), new Float32Array(4), SHAPE, { counts });
  assert.equal(isSmall(variable), false);
});

test("two ranks combine all of a vector themselves only if it is short", () => {
  const pair = { rank: 1, ranks: 2 };
  const isSmall = (bytes: number) => {
    const part = inside.subarray(0, bytes / 4);
    return prepare(allreduceOperation(part, part), segment, pair).small;
  };
  assert.deepEqual([isSmall(2048), isSmall(2052)], [true, false]);
});

test("who gives and who gets follows from kind and root", () => {
  const givesAndGets = (operation: Operation) => {
    const { gives, gets } = prepared(operation);
    return [gives, gets];
  };
  assert.deepEqual(givesAndGets(broadcastOperation(inside, SHAPE, { root: 1 })), [true, false]);
  assert.deepEqual(givesAndGets(broadcastOperation(inside, SHAPE, { root: 2 })), [false, true]);
  const scatter = (root: number) =>
    scatterOperation(inside, outside.subarray(0, 1024), SHAPE, { root });
  assert.deepEqual(givesAndGets(scatter(1)), [true, true]);
  assert.deepEqual(givesAndGets(scatter(0)), [false, true]);
  const reduce = (root: number) => reduceOperation(inside, outside, SHAPE, { root });
  assert.deepEqual(givesAndGets(reduce(1)), [true, true]);
  assert.deepEqual(givesAndGets(reduce(3)), [true, false]);
  const none = new Float32Array(0);
  assert.deepEqual(givesAndGets(allreduceOperation(none, none)), [false, false]);
  assert.deepEqual(givesAndGets(barrierOperation()), [false, false]);
});

test("what must not be read in place is staged: exchanges onto themselves, and narrower types", () => {
  assert.equal(prepared(alltoallOperation(inside, inside, SHAPE)).staged, true);
  const other = segment.allocate("float32", 4096);
  assert.equal(prepared(alltoallOperation(inside, other, SHAPE)).staged, false);
  const wide = segment.allocate("float64", 4096);
  const widened = prepared(allreduceOperation(inside, wide, { widen: true }));
  assert.equal(widened.staged, true);
  assert.equal(widened.payloadBytes, 8 * 4096);
  assert.equal(widened.byteLength, 8 * 4096);
});

test("operators of the user are told from those of the kernels", () => {
  const op = defineOperator("any", () => {});
  assert.equal(prepared(allreduceOperation(inside, inside, { op })).byKernel, false);
  assert.equal(prepared(allreduceOperation(inside, inside)).byKernel, true);
  assert.equal(prepared(allreduceOperation(inside, inside)).combines, true);
  const gather = allgatherOperation(inside.subarray(0, 1024), outside, SHAPE);
  assert.equal(prepared(gather).combines, false);
});
