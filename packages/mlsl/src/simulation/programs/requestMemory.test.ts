import assert from "node:assert/strict";
import { test } from "node:test";
import { CASES } from "./collectiveCases.js";
import { RequestMemory } from "./requestMemory.js";

const input = (index: number): number => 100 + index;
const allgather = CASES.allgather(1, { ranks: 3, root: 0, count: 2 });
const RESULT = Float64Array.of(5, 6, 100, 101, 7, 8);

function prepared(inPlace: boolean): RequestMemory {
  const memory = new RequestMemory(allgather, 3, inPlace);
  memory.prepare(input, false);
  return memory;
}

test("buffers lie apart or in each other as asked, and nothing is wrong where all is right", () => {
  for (const inPlace of [false, true]) {
    const memory = prepared(inPlace);
    const [send, recv, scratch] = memory.bases;
    assert.equal(send === recv + 2, inPlace);
    assert.equal(memory.cells[send], 100);
    assert.ok(Number.isNaN(memory.cells[scratch]));
    assert.ok(memory.isUntouched(input, false));
    memory.recv.set(RESULT);
    assert.ok(!memory.isUntouched(input, false));
    memory.cells[scratch] = 4;
    assert.equal(memory.wrong(input, RESULT), undefined);
  }
});

test("a wrong result, a changed input and a write beside the buffers are found", () => {
  const memory = prepared(false);
  assert.match(memory.wrong(input, RESULT)!, /"recv"\[0\] is -2, not 5/);
  memory.recv.set(RESULT);
  const [send, recv] = memory.bases;
  memory.cells[send + 1] = 0;
  assert.match(memory.wrong(input, RESULT)!, /"send"\[1\] has changed/);
  memory.cells[send + 1] = 101;
  memory.cells[recv + 6] = 0;
  assert.match(memory.wrong(input, RESULT)!, /outside of all buffers is 0/);
});

test("memory that is used for something else stays so, or somebody has written", () => {
  const memory = prepared(false);
  memory.reuse();
  assert.ok(memory.isReused());
  memory.cells[memory.bases[2]] = 1;
  assert.ok(!memory.isReused());
});

test("what a broadcast gives lies in the buffer that it takes", () => {
  const part = CASES.broadcast(0, { ranks: 2, root: 0, count: 2 });
  const memory = new RequestMemory(part, 0, false);
  memory.prepare(input, true);
  assert.deepEqual([...memory.recv], [100, 101]);
});
