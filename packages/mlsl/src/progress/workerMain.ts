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

/** How long a worker sleeps at most: how soon it notices that a rank has ended. */
const SLEEP_MS = 50;

/** The same while it waits for room in somebody's ring, or for a rank that has not joined yet. */
const HELD_UP_SLEEP_MS = 2;

const handover = (workerData as { readonly progress: WorkerHandover }).progress;
const { memory, areThreads, rank, ranks, worker: index, block, mode, core } = handover;
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
  const parts = { buffer, kernels, parker, rank, ranks, worker: index, block, mode };
  const worker = new ProgressWorker(parts);
  const patience = core === undefined ? CROWDED_STEPS : PATIENT_STEPS;
  const hasWork = () => worker.hasNews;
  setState(WORKER_STATE.running);
  let idle = 0;
  while (!worker.hasEnded) {
    if (worker.step()) {
      idle = 0;
      continue;
    }
    if (++idle <= patience) {
      if (core === undefined) parker.giveWay?.();
      continue;
    }
    const timeoutMs = worker.isHeldUp ? HELD_UP_SLEEP_MS : SLEEP_MS;
    sleepWorker(words, parker, block, { hasWork, timeoutMs });
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
