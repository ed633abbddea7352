/** What the thread of a progress worker runs: steps, as long as there is something to do; else sleep. */

import { workerData } from "node:worker_threads";
import { chooseKernels } from "../kernels/chooseKernels.js";
import { loadNative } from "../memory/native.js";
import { type Parker, processParker, threadParker } from "../memory/parker.js";
import { wakeRanks } from "../memory/sleepers.js";
import { NoteWriter } from "./notes.js";
import { sleepWorker } from "./parking.js";
import { ProgressWorker } from "./progressWorker.js";
import { pinTo } from "./threadAffinity.js";
import { WORKER_STATE, WORKER_WORD, workerLayout } from "./workerBlock.js";
import type { WorkerHandover } from "./workerThreads.js";

/**
 * Steps without work before a worker with a core of its own goes to sleep: some 50 microseconds,
 * several times what a sleep and a wake cost.
 */
const PATIENT_STEPS = 300;

/** The same for a worker that shares its core: it gives way each time. */
const CROWDED_STEPS = 5;

/**
 * How long a worker sleeps at most. Nobody wakes it when its rank has started something and computes on:
 * that would cost ten times as much as a start (`node bench/overlap.mjs`). So it looks by itself, after
 * an eighth of the time that it has been idle for: what it has missed is an eighth late at most.
 */
const IDLE_PART = 8;
/** A look costs up to 30 microseconds, so a sleeper takes less than a percent of its core … */
const LONGEST_SLEEP_MS = 5;
/** … and one that has just begun to sleep, or waits for room in somebody's ring, some more. */
const SHORTEST_SLEEP_MS = 0.25;

const handover = (workerData as { readonly progress: WorkerHandover }).progress;
const { memory, areThreads, rank, ranks, worker: index, block, core } = handover;
const words = new Int32Array(memory.buffer);
const parker = makeParker();

function makeParker(): Parker {
  const native = loadNative();
  return areThreads || native === undefined
    ? threadParker(words, native)
    : processParker(native, words);
}

function setState(state: number): void {
  // Safe: a single word that only the worker writes; what it stands for was written before.
  Atomics.store(words, block / 4 + WORKER_WORD.state, state);
}

function work(): void {
  const kernels = chooseKernels(memory, handover.kernels);
  const { buffer } = memory;
  const { mode, chunkBytes } = handover;
  const parts = { buffer, kernels, parker, rank, ranks, worker: index, block, mode, chunkBytes };
  const worker = new ProgressWorker(parts);
  const patience = core === undefined ? CROWDED_STEPS : PATIENT_STEPS;
  const hasWork = () => worker.hasNews;
  setState(WORKER_STATE.running);
  let idle = 0;
  let sleptMs = 0;
  while (!worker.hasEnded) {
    if (worker.step()) {
      idle = 0;
      sleptMs = 0;
      continue;
    }
    if (++idle <= patience) {
      if (core === undefined) parker.giveWay?.();
      continue;
    }
    const timeoutMs = Math.max(SHORTEST_SLEEP_MS, Math.min(sleptMs / IDLE_PART, LONGEST_SLEEP_MS));
    sleepWorker(words, parker, block, { hasWork, timeoutMs });
    sleptMs += timeoutMs;
    // Woken for nothing, it goes back to sleep.
    idle = patience;
  }
}

if (core !== undefined) pinTo(core);
try {
  work();
  setState(WORKER_STATE.ended);
} catch (error) {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  new NoteWriter(words, block + workerLayout(ranks).workerNotes).write(text);
  setState(WORKER_STATE.failed);
  wakeRanks(words, parker, [rank]);
}
