import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../engine/compile.js";
import { EngineGroup } from "../../engine/group.js";
import { EngineRequest } from "../../engine/request.js";
import type { TransportStep } from "../../schedules/transport/steps.js";
import { CASES } from "./collectiveCases.js";
import { MemoryPayload } from "./memoryPayload.js";
import { PROGRAM_OPERATORS } from "./operators.js";
import { RequestMemory } from "./requestMemory.js";

const at = (buffer: "send" | "recv", offset: number) => ({ buffer, offset, count: 2 });
const operator = PROGRAM_OPERATORS.grouped;

/** A rank's request with the memory of an all-gather of 2 elements, and its payload. */
function made(payload: MemoryPayload, steps: readonly TransportStep[], first: number) {
  const program = compile({ scratchCount: 0, steps }, { elementBytes: 8, chunkBytes: 16 });
  const spec = { fingerprint: "", program, timeoutMs: 1 };
  const request = new EngineRequest(new EngineGroup(0, [0, 1], 0), 0, spec);
  const part = CASES.allgather(0, { ranks: 2, root: 0, count: 2 });
  const memory = new RequestMemory(part, 0, false);
  memory.prepare((index) => first + index, false);
  payload.add(request, { memory, operator });
  return { request, memory };
}

test("chunks are put or combined where the program says, in its order", () => {
  const payload = new MemoryPayload();
  const sender = made(payload, [{ kind: "send", to: 1, region: at("send", 0) }], 10);
  const receive = { kind: "receive", from: 1, region: at("recv", 2) } as const;
  const receiver = made(
    payload,
    [
      { kind: "copy", from: at("send", 0), to: at("recv", 0) },
      receive,
      { ...receive, combine: "before" },
      { ...receive, combine: "after" },
    ],
    20,
  );
  const expected = [20, 21, -2, -2];
  const run = (op: number): void => {
    const part = op === 0 ? undefined : sender.request.partOf(0);
    if (part !== undefined) payload.read(part);
    payload.compute({ request: receiver.request, op, part });
    assert.deepEqual([...receiver.memory.recv], expected);
    assert.equal(payload.keptCount, 0);
  };
  run(0);
  expected.splice(2, 2, 10, 11);
  run(1);
  expected.splice(2, 2, operator.combine(10, 10), operator.combine(11, 11));
  run(2);
  const own = receiver.memory.recv.slice(2);
  expected.splice(2, 2, operator.combine(own[0]!, 10), operator.combine(own[1]!, 11));
  run(3);
});

test("a chunk keeps what was read, and is used once", () => {
  const payload = new MemoryPayload();
  const sender = made(payload, [{ kind: "send", to: 1, region: at("send", 0) }], 10);
  const receive = { kind: "receive", from: 1, region: at("recv", 0) } as const;
  const receiver = made(payload, [receive], 20);
  const part = sender.request.partOf(0);
  const kernel = { request: receiver.request, op: 0, part };
  assert.throws(() => payload.compute(kernel), /Chunk 0 is used before it is here/);
  payload.read(part);
  assert.equal(payload.keptCount, 1);
  assert.throws(() => payload.read(part), /Chunk 0 is sent before it is used/);
  sender.memory.reuse();
  payload.compute(kernel);
  assert.deepEqual([...receiver.memory.recv.slice(0, 2)], [10, 11]);
  assert.throws(() => payload.compute(kernel), /used before it is here/);
});
