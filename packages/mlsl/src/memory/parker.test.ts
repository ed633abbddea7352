import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { segmentBytesFor } from "./layout.js";
import { loadNative } from "./native.js";
import { type Parker, processParker, threadParker } from "./parker.js";
import { newThreadMemory } from "./segment.js";

/** Far longer than a wake takes, so that a sleep that ends by its time-out is told apart. */
const LONG_MS = 20000;

/** Changes word 1 and notifies, once word 0 says that the sleeper is about to sleep. */
const WAKER = `
  const { workerData } = require("node:worker_threads");
  const words = new Int32Array(workerData.buffer);
  Atomics.wait(words, 0, 0, ${LONG_MS});
  // The sleeper may not sleep yet: it then finds the changed word and returns at once.
  Atomics.store(words, 1, 1);
  Atomics.notify(words, 1);
`;

function parkers(words: Int32Array): [string, Parker][] {
  const native = loadNative();
  const all: [string, Parker][] = [["threadParker", threadParker(words, undefined)]];
  if (native !== undefined) all.push(["processParker", processParker(native, words)]);
  return all;
}

test("a sleep returns at once when the word has another value, and in time when nobody wakes", () => {
  const words = new Int32Array(newThreadMemory(1, segmentBytesFor(1, 65536)).buffer);
  words[1] = 5;
  for (const [name, parker] of parkers(words)) {
    const startMs = performance.now();
    parker.sleep(4, 4, LONG_MS);
    assert.ok(performance.now() - startMs < LONG_MS, name);
    parker.sleep(4, 5, 5);
    parker.wake(4);
    parker.giveWay?.();
    assert.equal(parker.giveWay !== undefined, name === "processParker");
  }
});

test("a thread that sleeps is woken by another", async () => {
  const words = new Int32Array(newThreadMemory(1, segmentBytesFor(1, 65536)).buffer);
  const worker = new Worker(WAKER, { eval: true, workerData: { buffer: words.buffer } });
  const ended = new Promise((resolve) => worker.once("exit", resolve));
  const startMs = performance.now();
  // Safe: word 0 is written here only; the worker waits for the change.
  Atomics.store(words, 0, 1);
  Atomics.notify(words, 0);
  const parker = threadParker(words, loadNative());
  // Safe: word 1 is written by the worker only.
  while (Atomics.load(words, 1) === 0) parker.sleep(4, 0, LONG_MS);
  assert.ok(performance.now() - startMs < LONG_MS);
  await ended;
});
