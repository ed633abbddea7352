import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../engine/compile.js";
import { Engine } from "../../engine/engine.js";
import type { EngineGroup } from "../../engine/group.js";
import { OLDEST_EVERY } from "../../engine/order.js";
import type { EngineRequest } from "../../engine/request.js";
import type { BufferName, TransportStep } from "../../schedules/transport/steps.js";
import { FairnessCheck } from "./fairness.js";

const CHUNKS = 500;
const OPTIONS = { rank: 0, chunkBytes: 1, windowBytes: 1e9 };

function part(buffer: BufferName): { buffer: BufferName; offset: number; count: number } {
  return { buffer, offset: 0, count: CHUNKS };
}

/** A request of many chunks, one step to one peer or on this rank, whose peers all have come. */
function post(group: EngineGroup, step: TransportStep, priority: number): EngineRequest {
  const program = compile(
    { scratchCount: CHUNKS, steps: [step] },
    { elementBytes: 1, chunkBytes: 1 },
  );
  return engine.post(group, { fingerprint: "", program, priority, timeoutMs: 1e6 });
}

let engine: Engine;
let group: EngineGroup;

function begin(): void {
  engine = new Engine(OPTIONS);
  group = engine.openGroup(0, [0, 1, 2]);
}

/** Starts a request, and lets its meeting end. */
function start(request: EngineRequest): void {
  engine.start(request, 0);
  for (const [round, from] of [2, 1].entries()) {
    const hello = {
      kind: "hello",
      group: 0,
      match: request.match,
      round,
      fingerprint: "",
    } as const;
    engine.frameArrived({ from, to: 0, parts: [hello], byteLength: 0, dataBytes: 0 }, 0);
  }
  assert.equal(request.state, "running");
}

const sendTo = (to: number): TransportStep => ({ kind: "send", to, region: part("send") });
const copy: TransportStep = { kind: "copy", from: part("send"), to: part("recv") };

test("the oldest request gets its share of frames, also while there are words for others", () => {
  begin();
  start(post(group, sendTo(1), 9));
  start(post(group, sendTo(2), 1));
  const pair = engine.openGroup(1, [0, 2]);
  const check = new FairnessCheck();
  let frames = 0;
  while (frames < 200) {
    const frame = check.nextFrame(engine, 0)!;
    if (frame.dataBytes > 0) frames++;
    // A word for the peer of the urgent one, whenever it is the oldest's turn.
    if ((frames + 1) % OLDEST_EVERY !== 0 || frame.dataBytes === 0) continue;
    engine.start(post(pair, copy, 5), 0);
  }
  assert.equal(check.longest, OLDEST_EVERY - 1);
});

test("the oldest request gets its share of kernels", () => {
  begin();
  start(post(group, copy, 9));
  start(post(group, copy, 1));
  const check = new FairnessCheck();
  for (let i = 0; i < 200; i++) check.nextKernel(engine, 0);
  assert.equal(check.longest, OLDEST_EVERY - 1);
});

test("an engine that only looks at urgency is found", () => {
  begin();
  const old = post(group, copy, 9);
  const urgent = post(group, copy, 1);
  const unfair = {
    oldestComputable: old,
    oldestSendable: old,
    nextKernel: () => ({ request: urgent, op: 0, part: undefined }),
    nextFrame: () => ({
      ...{ from: 0, to: 1, byteLength: 1, dataBytes: 1 },
      parts: [urgent.partOf(0)],
    }),
  } as unknown as Engine;
  const check = new FairnessCheck();
  const ask = (next: () => unknown) => (): void => {
    for (let i = 0; i < OLDEST_EVERY; i++) next();
  };
  assert.throws(
    ask(() => check.nextKernel(unfair, 0)),
    /passed over 16 times in a row/,
  );
  assert.throws(
    ask(() => check.nextFrame(unfair, 0)),
    /passed over 16 times in a row/,
  );
});
