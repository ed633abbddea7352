import assert from "node:assert/strict";
import { test } from "node:test";
import { type DataType, dataTypeInfo, type ElementArray, viewOf } from "../../memory/dataTypes.js";
import { Float16View } from "../../memory/halfViews.js";
import { executionContexts } from "../../testing/executionContexts.js";
import { allgatherOperation } from "../arguments/moves.js";
import { allreduceOperation } from "../arguments/reductions.js";
import { copyIntoStaging, copyOut } from "./copies.js";
import { prepare } from "./prepared.js";

const [context] = executionContexts(1);
const { segment, memory } = context!;
const SOLO = { rank: 0, ranks: 1 };

/** What stands in the staging block after a part of an array was copied there, widened. */
function staged(send: ElementArray, into: DataType, [first, count]: [number, number]): unknown[] {
  const recv = viewOf(into, new ArrayBuffer(send.length * 8), 0, send.length);
  const operation = allreduceOperation(send, recv, { widen: true });
  const { byteLength } = dataTypeInfo(into);
  copyIntoStaging(context!, operation, {
    source: first * byteLength,
    target: memory.staging,
    byteLength: count * byteLength,
  });
  return [...viewOf(into, segment.buffer, memory.staging, count)];
}

test("a part of send is staged as it is, or widened", () => {
  assert.deepEqual(staged(Float64Array.of(1, 2, 3, 4), "float64", [1, 2]), [2, 3]);
  assert.deepEqual(staged(Int8Array.of(1, -2, -128, 127), "int32", [1, 3]), [-2, -128, 127]);
  assert.deepEqual(staged(Uint8Array.of(1, 200, 255), "int16", [1, 2]), [200, 255]);
  assert.deepEqual(staged(Float32Array.of(1, 0.1), "float64", [1, 1]), [Math.fround(0.1)]);
  const halves = Float16View.from([1, 2.5, -0, 65504]);
  assert.deepEqual(staged(halves, "float32", [1, 3]), [2.5, -0, 65504]);
  assert.deepEqual(staged(halves.subarray(1), "float64", [0, 1]), [2.5]);
  assert.deepEqual(staged(halves, "float32", [4, 0]), []);
});

test("results are copied to arrays inside the segment and outside, nothing where nothing is left", () => {
  const source = segment.allocate("float32", 2);
  source.set([7, 8]);
  const inside = segment.allocate("float32", 3);
  for (const recv of [inside, new Float32Array(3)]) {
    const operation = allgatherOperation(source.slice(0, 1), recv.subarray(0, 1), SOLO);
    const prepared = prepare({ ...operation, recv }, segment, SOLO);
    copyOut(context!, prepared, { source: source.byteOffset, target: 4, byteLength: 8 });
    assert.deepEqual([...recv], [0, 7, 8]);
    // The end of a shorter block: its place for the next chunk would lie behind the array.
    copyOut(context!, prepared, { source: source.byteOffset, target: 64, byteLength: 0 });
    assert.deepEqual([...recv], [0, 7, 8]);
  }
});
