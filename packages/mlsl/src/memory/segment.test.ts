import assert from "node:assert/strict";
import { test } from "node:test";
import { STATUS_OFFSET, segmentBytesFor } from "./layout.js";
import { encodeStatus } from "./rankStatus.js";
import { joinThreadSegment, newThreadMemory, soloSegment } from "./segment.js";

const ARENA_BYTES = 65536;

function newMemory(ranks: number): WebAssembly.Memory {
  return newThreadMemory(ranks, segmentBytesFor(ranks, ARENA_BYTES));
}

test("Segment.allocate gives zeros, also in memory that was used before", () => {
  const segment = joinThreadSegment(newMemory(1), { rank: 0, ranks: 1 });
  const first = segment.allocate("float32", 1000);
  const { byteOffset } = first;
  first.fill(7);
  segment.free(first);
  const second = segment.allocate("float32", 1000);
  assert.equal(second.byteOffset, byteOffset);
  assert.ok(second.every((x) => x === 0));
});

test("Segment.free refuses arrays of others and arrays that were freed", () => {
  const memory = newMemory(2);
  const [a, b] = [0, 1].map((rank) => joinThreadSegment(memory, { rank, ranks: 2 }));
  const array = a!.allocate("float64", 4);
  assert.throws(() => b!.free(array), /not allocated in this rank's part/);
  assert.throws(() => a!.free(new Float32Array(4)), TypeError);
  assert.throws(() => a!.free(array.subarray(1)), TypeError);
  a!.free(array);
  assert.throws(() => a!.free(array), TypeError);
});

test("ranks of a segment allocate in parts of their own and see each other's bytes", () => {
  const memory = newMemory(3);
  const arrays = [0, 1, 2].map((rank) => {
    const segment = joinThreadSegment(memory, { rank, ranks: 3 });
    return segment.allocate("int32", 16);
  });
  arrays.forEach((array, rank) => void array.fill(rank + 1));
  assert.deepEqual(
    arrays.map((array) => array[15]),
    [1, 2, 3],
  );
  assert.equal(new Int32Array(memory.buffer)[arrays[2]!.byteOffset / 4], 3);
});

test("Segment refuses a place that is not in the job, and a memory that is not a segment", () => {
  const memory = newMemory(2);
  assert.throws(() => joinThreadSegment(memory, { rank: 2, ranks: 2 }), /rank 2 of 2/);
  assert.throws(() => joinThreadSegment(memory, { rank: 0, ranks: 3 }), /header/);
  const blank = new WebAssembly.Memory({ initial: 32, maximum: 32, shared: true });
  assert.throws(() => joinThreadSegment(blank, { rank: 0, ranks: 1 }), /same version of mlsl/);
});

test("Segment.statusOf reads what the launcher has written", () => {
  const memory = newMemory(2);
  const segment = joinThreadSegment(memory, { rank: 0, ranks: 2 });
  assert.deepEqual(segment.statusOf(1), { kind: "running" });
  new Int32Array(memory.buffer)[STATUS_OFFSET / 4 + 1] = encodeStatus({ kind: "exited", code: 3 });
  assert.deepEqual(segment.statusOf(1), { kind: "exited", code: 3 });
});

test("a rank that is alone has a segment of its own", () => {
  const segment = soloSegment();
  assert.deepEqual([segment.rank, segment.ranks], [0, 1]);
  assert.equal(segment.holds(segment.allocate("uint8", 3)), true);
  assert.equal(segment.holds(new Uint8Array(3)), false);
});
