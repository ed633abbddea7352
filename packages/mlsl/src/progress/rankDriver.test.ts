import assert from "node:assert/strict";
import { test } from "node:test";
import { segmentBytesFor } from "../memory/layout.js";
import { joinThreadSegment, newThreadMemory, type Segment } from "../memory/segment.js";
import { localRanks } from "../testing/localJob.js";
import type { Plan } from "./plan.js";
import { RankDriver } from "./rankDriver.js";
import { WORKER_WORD, workerBlocksBytes } from "./workerBlock.js";
import { startWorkerThreads } from "./workerThreads.js";

/** How long to wait for what takes milliseconds. */
const LIMIT_MS = 10000;

function newSegment(): Segment {
  const memory = newThreadMemory(1, segmentBytesFor(1, workerBlocksBytes(1, 1) + 65536));
  return joinThreadSegment(memory, { rank: 0, ranks: 1 });
}

const BARRIER: Plan = {
  kind: "barrier",
  fingerprint: [4, 0, 0, 0],
  details: "",
  rank: 0,
  ranks: 1,
  root: 0,
  count: 0,
  typeCode: 0,
  elementBytes: 1,
  algorithm: "direct",
};

const CHUNKS = { mode: "priority", chunkBytes: 65536 } as const;
const OPTIONS = { areThreads: true, ...CHUNKS, kernels: undefined, cores: [] } as const;

test("a worker in a thread carries out what it is given, and ends when it is told", async () => {
  const driver = new RankDriver(newSegment(), 1);
  startWorkerThreads(driver, OPTIONS);
  driver.openGroup(4096, [0]);
  const handle = driver.planFor(4096, "barrier", () => BARRIER);
  const places = { send: 0, recv: 0, scratch: 0, priority: undefined, timeoutMs: 1000 };
  let over = 0;
  for (let match = 0; match < 5000; match++) {
    driver.start({ handle, group: 4096, match, ...places, over: () => void over++ });
  }
  const startMs = performance.now();
  while (over < 5000 && performance.now() - startMs < LIMIT_MS) driver.drain(1000);
  assert.equal(over, 5000);
  driver.end();
});

test("a worker that fails says why, and everything that waits for it fails", async () => {
  const driver = new RankDriver(newSegment(), 1);
  startWorkerThreads(driver, { ...OPTIONS, kernels: "wooden" });
  const startMs = performance.now();
  while (driver.crash === undefined && performance.now() - startMs < LIMIT_MS) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.match(String(driver.crash), /worker 0 of rank 0 has failed: .*got "wooden"/);
});

test("requests fail with the worker that had them", () => {
  const [first, second] = localRanks({ ranks: 2, workers: 1 });
  const request = first!.world.barrierStart();
  first!.driver!.workerFailed(0, "no memory");
  assert.throws(() => request.waitSync(), /Progress worker 0 of rank 0 has failed: no memory/);
  assert.throws(() => first!.world.barrierStart(), /closed by an earlier failure: Progress worker/);
  assert.equal(second!.world.barrierStart().done, false);
});

test("a start wakes nobody; who looks for outcomes wakes workers that may sleep", () => {
  const segment = newSegment();
  const driver = new RankDriver(segment, 1);
  const line = driver.blocks[0]! / 4;
  const { words } = segment;
  const handle = driver.planFor(4096, "barrier", () => BARRIER);
  const places = { send: 0, recv: 0, scratch: 0, priority: undefined, timeoutMs: 1000 };
  words[line + WORKER_WORD.asleep] = 1;
  driver.start({ handle, group: 4096, match: 0, ...places, over: () => {} });
  assert.deepEqual([words[line + WORKER_WORD.asleep], words[line + WORKER_WORD.wake]], [1, 0]);
  driver.drain(0);
  assert.deepEqual([words[line + WORKER_WORD.asleep], words[line + WORKER_WORD.wake]], [0, 1]);
});

test("plans that nobody uses give their memory back, those in use stay", () => {
  const segment = newSegment();
  const driver = new RankDriver(segment, 1);
  const before = segment.availableBytes;
  const [used, unused] = ["a", "b"].map((key) => driver.planFor(4096, key, () => BARRIER));
  assert.equal(
    driver.planFor(4096, "a", () => assert.fail("it is known")),
    used,
  );
  used!.users++;
  driver.dropPlans();
  assert.deepEqual([used!.isDropped, unused!.isDropped], [false, true]);
  used!.users--;
  driver.dropPlans();
  assert.equal(segment.availableBytes, before);
});
