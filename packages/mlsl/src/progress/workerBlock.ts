/**
 * What a progress worker, its rank and the workers of other ranks share: a block per worker in the
 * arena of the rank, all of the same size, one after the other.
 *
 *     line 0        word 0: the worker sleeps, or is about to; word 1: changes when it is woken;
 *                   word 2: how it stands, see WORKER_STATE
 *     notes         texts about failures: of the worker, then of the rank
 *     kernels       plan and tree of the worker's kernels
 *     commands      ring from the rank
 *     completions   ring to the rank
 *     inbound       ring from the worker of the same number of each rank of the job, in their order
 */

import { LINE_BYTES, planBytes, treeBytes } from "../kernels/exchangeLayout.js";
import { WORKERS_OFFSET } from "../memory/layout.js";
import { ringBytes } from "./ring.js";

/** Words of line 0. */
export const WORKER_WORD = { asleep: 0, wake: 1, state: 2 } as const;

/** How a worker stands: it takes commands from the beginning, whether it has come up yet or not. */
export const WORKER_STATE = { starting: 0, running: 1, failed: 2, ended: 3 } as const;

/** The most workers of a rank; a rank with more would need more memory bandwidth than there is. */
export const MAX_WORKERS = 16;

/** Commands that a worker has not taken yet; it takes thousands in a millisecond. */
export const COMMAND_SLOTS = 4096;
/** Completions that the rank has not looked at; the worker keeps more on its own side. */
export const COMPLETION_SLOTS = 1024;
/** Records under way between two workers; either keeps more on its own side. */
export const PEER_SLOTS = 256;

/** Texts that are kept, and bytes of each: so many groups fail at once, and no more. */
export const NOTES = 8;
/** Bytes of a note: the longest names two operations with all their options. */
export const NOTE_BYTES = 2048;

/** Where the parts of a block begin, from its start, and its length. */
export interface WorkerLayout {
  readonly workerNotes: number;
  readonly rankNotes: number;
  readonly plan: number;
  readonly tree: number;
  readonly commands: number;
  readonly completions: number;
  /** Of rank 0; the others follow. */
  readonly inbound: number;
  readonly byteLength: number;
}

function lines(byteLength: number): number {
  return Math.ceil(byteLength / LINE_BYTES) * LINE_BYTES;
}

/** The layout of a block in a job of so many ranks. */
export function workerLayout(ranks: number): WorkerLayout {
  const workerNotes = LINE_BYTES;
  const rankNotes = workerNotes + NOTES * NOTE_BYTES;
  const plan = rankNotes + NOTES * NOTE_BYTES;
  const tree = plan + lines(planBytes(Math.max(2, ranks)));
  const commands = tree + lines(treeBytes(Math.max(2, ranks)));
  const completions = commands + ringBytes(COMMAND_SLOTS);
  const inbound = completions + ringBytes(COMPLETION_SLOTS);
  const byteLength = inbound + ranks * ringBytes(PEER_SLOTS);
  return { workerNotes, rankNotes, plan, tree, commands, completions, inbound, byteLength };
}

/** Bytes of the blocks of all workers of a rank. */
export function workerBlocksBytes(ranks: number, workers: number): number {
  return workers * workerLayout(ranks).byteLength;
}

/** Where a worker's block is; undefined as long as its rank has not joined. */
export function findWorkerBlock(
  words: Int32Array,
  ranks: number,
  { rank, worker }: { readonly rank: number; readonly worker: number },
): number | undefined {
  // Safe: stored once, when the blocks are ready. Read unsigned: segments reach up to 4 GiB.
  const blocks = Atomics.load(words, WORKERS_OFFSET / 4 + rank) >>> 0; // bits: unsigned address
  return blocks === 0 ? undefined : blocks + worker * workerLayout(ranks).byteLength;
}

/** Makes a rank's blocks known to the workers of the other ranks. */
export function publishWorkerBlocks(words: Int32Array, rank: number, address: number): void {
  // Safe: the blocks were zeroed before; whoever reads the address sees them so.
  Atomics.store(words, WORKERS_OFFSET / 4 + rank, address);
}
