import assert from "node:assert/strict";
import { test } from "node:test";
import type { Parker } from "../memory/parker.js";
import { sleepWorker, wakeWorker } from "./parking.js";
import { WORKER_WORD } from "./workerBlock.js";

const BLOCK = 64;
const LINE = BLOCK / 4;

function newParker(onSleep: (expected: number) => void): { parker: Parker; wakes: number[] } {
  const wakes: number[] = [];
  const parker: Parker = {
    giveWay: undefined,
    sleep: (_, expected) => onSleep(expected),
    wake: (byteOffset) => void wakes.push(byteOffset),
  };
  return { parker, wakes };
}

test("a worker that finds work after it said that it sleeps does not sleep", () => {
  const words = new Int32Array(new SharedArrayBuffer(256));
  const { parker } = newParker(() => assert.fail("it slept"));
  const hasWork = () => {
    assert.equal(words[LINE + WORKER_WORD.asleep], 1, "others see that it is about to sleep");
    return true;
  };
  sleepWorker(words, parker, BLOCK, { hasWork, timeoutMs: 1000 });
  assert.equal(words[LINE + WORKER_WORD.asleep], 0);
});

test("a sleeper is woken once, by a word that has changed; who is awake is left alone", () => {
  const words = new Int32Array(new SharedArrayBuffer(256));
  const { parker, wakes } = newParker((expected) => {
    assert.equal(words[LINE + WORKER_WORD.wake], expected);
    wakeWorker(words, parker, BLOCK);
    wakeWorker(words, parker, BLOCK);
    assert.notEqual(words[LINE + WORKER_WORD.wake], expected);
  });
  sleepWorker(words, parker, BLOCK, { hasWork: () => false, timeoutMs: 1000 });
  wakeWorker(words, parker, BLOCK);
  assert.deepEqual(wakes, [BLOCK + 4 * WORKER_WORD.wake]);
});
