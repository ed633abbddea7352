import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../engine/compile.js";
import type { EngineRequest } from "../engine/request.js";
import type { TransportStep } from "../schedules/transport/steps.js";
import { Cluster } from "./cluster.js";
import { CASES } from "./programs/collectiveCases.js";
import { MemoryPayload } from "./programs/memoryPayload.js";
import { PROGRAM_OPERATORS } from "./programs/operators.js";
import { RequestMemory } from "./programs/requestMemory.js";

const COUNT = 40;
const SHAPE = { ranks: 2, root: 0, count: COUNT };

/**
 * Two ranks that exchange their vectors; one may do so in place, both would wait for each other.
 *
 * @param placed the rank that does; -1: none
 * @returns the memory of both
 */
function exchange(seed: number, placed: number): readonly RequestMemory[] {
  const payload = new MemoryPayload();
  const cluster = new Cluster({
    network: { ranks: 2, latencyMs: 0.01, bandwidthGBps: 0.1, overheadMs: 0 },
    ...{ kernels: { combineGBps: 1, copyGBps: 1 }, chunkBytes: 8, windowBytes: 8 },
    ...{ payload, seed, faults: { delayShare: 0.5, delayMs: 0.05 } },
  });
  const made = [0, 1].map((rank): [EngineRequest, RequestMemory] => {
    const whole = (buffer: "send" | "recv") => ({ buffer, offset: 0, count: COUNT });
    const steps: TransportStep[] = [
      { kind: "send", to: 1 - rank, region: whole("send") },
      { kind: "receive", from: 1 - rank, region: whole("recv") },
    ];
    const cut = { elementBytes: 8, chunkBytes: cluster.chunkBytes };
    const program = compile(
      { scratchCount: 0, steps },
      rank === placed ? { ...cut, sendInRecv: 0 } : cut,
    );
    const memory = new RequestMemory(CASES.allreduce(rank, SHAPE), 0, rank === placed);
    memory.prepare((index) => 1000 * rank + index, false);
    const group = cluster.openGroup(rank, 0, [0, 1]);
    const spec = { fingerprint: "", program, timeoutMs: 1000 };
    const request = cluster.engine(rank).post(group, spec);
    payload.add(request, { memory, operator: PROGRAM_OPERATORS.sum });
    return [request, memory];
  });
  made.forEach(([request], rank) => {
    cluster.start(rank, request);
  });
  cluster.run();
  for (const [{ state, failure }] of made) assert.equal(state, "done", JSON.stringify(failure));
  return made.map(([, memory]) => memory);
}

for (const placed of [-1, 0, 1]) {
  test(`ranks exchange vectors, ${placed < 0 ? "none" : `rank ${placed}`} in place`, () => {
    for (let seed = 1; seed <= 40; seed++) {
      exchange(seed, placed).forEach(({ recv }, rank) => {
        const expected = Array.from({ length: COUNT }, (_, i) => 1000 * (1 - rank) + i);
        assert.deepEqual([...recv], expected, `seed ${seed}, rank ${rank}`);
      });
    }
  });
}
