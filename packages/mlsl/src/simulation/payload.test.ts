import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../engine/compile.js";
import type { DataPart, Frame } from "../engine/frames.js";
import { EngineGroup } from "../engine/group.js";
import type { Kernel } from "../engine/kernelQueue.js";
import { EngineRequest } from "../engine/request.js";
import { buildSchedule } from "../schedules/transport/registry.js";
import { PayloadTimes } from "./payload.js";
import { Random } from "./random.js";
import { VirtualClock } from "./virtualClock.js";

const program = compile(
  buildSchedule("broadcast", "chain", { rank: 0, ranks: 2, root: 0, count: 8 }),
  { elementBytes: 1, chunkBytes: 1 },
);
const spec = { fingerprint: "", program, timeoutMs: 1 };
const request = new EngineRequest(new EngineGroup(0, [0, 1], 0), 0, spec);
const PARTS: readonly DataPart[] = Array.from({ length: 60 }, (_, i) => request.partOf(i % 8));
const FRAME: Frame = { from: 0, to: 1, parts: PARTS, byteLength: 60, dataBytes: 60 };

test("chunks are read when they leave, on their way, when they arrive or later, each once", () => {
  const clock = new VirtualClock();
  const readMs: number[] = [];
  const payload = { read: () => void readMs.push(clock.nowMs), compute: () => {} };
  const times = new PayloadTimes(payload, clock, new Random(1), 2);
  times.leave(FRAME);
  assert.equal(readMs.length + times.unreadCount, 60);
  clock.at(1, () => times.arrive(FRAME));
  clock.run();
  // The others are fetched when they are used.
  const { unreadCount } = times;
  assert.equal(readMs.length + unreadCount, 60);
  assert.ok(unreadCount > 5);
  const atOnce = readMs.filter((ms) => ms === 0).length;
  const between = readMs.filter((ms) => ms > 0 && ms < 1).length;
  const atLast = readMs.filter((ms) => ms === 1).length;
  assert.equal(atOnce + between + atLast, readMs.length);
  assert.ok(atOnce > 5 && between > 2 && atLast > 5);
});

test("who sends a chunk that is fetched learns that it is read a latency after its use", () => {
  const clock = new VirtualClock();
  const seen: string[] = [];
  const say = (what: string) => () => void seen.push(`${what} at ${clock.nowMs}`);
  const payload = { read: say("read"), compute: say("compute") };
  const times = new PayloadTimes(payload, clock, new Random(1), 2);
  const part = PARTS[0]!;
  do {
    seen.length = 0;
    times.leave({ from: 0, to: 1, parts: [part], byteLength: 1, dataBytes: 1 });
    times.arrive(FRAME);
  } while (times.unreadCount === 0);
  times.whenRead(part, say("told"));
  assert.deepEqual(seen, []);
  const kernel: Kernel = { request, op: 0, part };
  clock.at(5, () => {
    times.begin(kernel);
    times.end(kernel);
  });
  clock.run();
  assert.deepEqual(seen, ["read at 5", "compute at 5", "told at 7"]);
  times.whenRead(part, say("told"));
  assert.equal(seen.at(-1), "told at 7");
  assert.equal(times.unreadCount, 0);
});

test("kernels work at their beginning or at their end, each once", () => {
  const done: Kernel[] = [];
  const payload = { read: () => {}, compute: (kernel: Kernel) => void done.push(kernel) };
  const times = new PayloadTimes(payload, new VirtualClock(), new Random(1), 2);
  let early = 0;
  for (let i = 0; i < 40; i++) {
    const kernel: Kernel = { request, op: 0, part: undefined };
    const before = done.length;
    times.begin(kernel);
    early += done.length - before;
    times.end(kernel);
    assert.equal(done.length, before + 1);
    assert.equal(done.at(-1), kernel);
  }
  assert.ok(early > 5 && early < 35);
});
