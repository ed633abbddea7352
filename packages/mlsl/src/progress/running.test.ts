import assert from "node:assert/strict";
import { test } from "node:test";
import type { DataPart } from "../engine/frames.js";
import type { EngineRequest } from "../engine/request.js";
import { RunningRequests, runningOf } from "./running.js";

function part(group: number): DataPart {
  const request = {} as EngineRequest;
  return { kind: "data", group, match: 0, ordinal: 0, byteLength: 4, request, op: 0 };
}

test("numbers of chunks that were read serve others, told apart by their stamps", () => {
  const running = new RunningRequests();
  const [one, other] = [part(1), part(1)];
  const number = running.numberOf(one);
  const stamp = running.stampOf(number);
  assert.equal(running.takeRead(number, stamp), one);
  assert.equal(running.numberOf(other), number);
  assert.notEqual(running.stampOf(number), stamp);
  assert.equal(running.takeRead(number, stamp), undefined, "a late word about the first");
  assert.equal(running.takeRead(number, running.stampOf(number)), other);
});

test("a million chunks of groups that fail take no more numbers than one", () => {
  const running = new RunningRequests();
  for (let group = 0; group < 1e6; group++) {
    assert.equal(running.numberOf(part(group)), 0);
    running.forgetGroup(group);
    assert.equal(running.takeRead(0, running.stampOf(0)), undefined);
  }
});

test("a request that no worker has posted is no start", () => {
  const spec = { fingerprint: "", program: {}, timeoutMs: 1 };
  assert.throws(() => runningOf({ spec } as unknown as EngineRequest), /no worker has posted/);
});
