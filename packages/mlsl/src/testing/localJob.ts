/**
 * All ranks of a job in one thread: a rank never waits, so one thread can play them all, in an
 * order that a seed decides. What runs here is the real group on real shared memory.
 */

import type { LocalGroup } from "../collectives/groups/localGroup.js";
import { openWorld } from "../collectives/groups/world.js";
import type { Request } from "../collectives/requests/requests.js";
import type { OrderMode } from "../engine/order.js";
import { chooseKernels } from "../kernels/chooseKernels.js";
import { segmentBytesFor } from "../memory/layout.js";
import { joinThreadSegment, newThreadMemory, type Segment } from "../memory/segment.js";
import { workerChunkBytes } from "../progress/chunkBytes.js";
import { ProgressWorker } from "../progress/progressWorker.js";
import { RankDriver } from "../progress/rankDriver.js";
import { workerBlocksBytes } from "../progress/workerBlock.js";
import type { Random } from "../simulation/random.js";

/** Progress workers of jobs that do not say: set it to run any test of groups with workers. */
const WORKERS = Number(process.env.MLSL_TEST_WORKERS ?? 0);

/** How much larger arenas are with workers: each test's largest buffers fit. */
const WHOLE_BUFFERS = 32;

/** Both implementations of the kernels. */
export const KERNELS = ["wasm", "plain"] as const;

/** How a job for a test is made. */
export interface LocalJobOptions {
  /** @default 1000 */
  readonly timeoutMs?: number;
  readonly ranks: number;
  readonly kernels?: (typeof KERNELS)[number];
  /** @default 1 MiB, so that staging blocks are small and buffers pass in many chunks */
  readonly arenaBytes?: number;
  /** Progress workers of each rank, which take their steps whenever a rank looks. @default 0 */
  readonly workers?: number;
  /** Of the workers. @default "priority" */
  readonly mode?: OrderMode;
  /** Of the workers. @default as in a job that was not tuned */
  readonly chunkBytes?: number;
}

/** A rank of a local job. */
export interface LocalRank {
  readonly world: LocalGroup;
  /** Its view of the memory that all share. */
  readonly segment: Segment;
  /** Its side of its progress workers, if it has any. */
  readonly driver: RankDriver | undefined;
}

/** The ranks of a job. */
export function localRanks({
  ranks,
  kernels,
  arenaBytes = 1048576,
  timeoutMs = 1000,
  workers = WORKERS,
  mode = "priority",
  chunkBytes = workerChunkBytes(undefined),
}: LocalJobOptions): LocalRank[] {
  // Buffers outside the segment pass through the arena whole when workers carry operations out.
  const ownBytes = workers === 0 ? arenaBytes : WHOLE_BUFFERS * arenaBytes;
  const extraBytes = workerBlocksBytes(ranks, workers);
  const memory = newThreadMemory(ranks, segmentBytesFor(ranks, ownBytes + extraBytes));
  const all: ProgressWorker[] = [];
  // Each look of a rank lets all workers take a step, in the order in which they came.
  const pump = () => {
    for (const worker of all) worker.step();
  };
  return Array.from({ length: ranks }, (_, rank) => {
    const segment = joinThreadSegment(memory, { rank, ranks });
    const parts = { segment, kernels: chooseKernels(memory, kernels) };
    const driver = workers === 0 ? undefined : new RankDriver(segment, workers, pump);
    driver?.blocks.forEach((block, worker) => {
      const { buffer, parker } = segment;
      const own = { buffer, parker, kernels: parts.kernels, rank, ranks, worker, block, mode };
      all.push(new ProgressWorker({ ...own, chunkBytes }));
    });
    return { world: openWorld({ ...parts, driver, timeoutMs, crowded: true }), segment, driver };
  });
}

/** The world of each rank of a job. */
export function localJob(options: LocalJobOptions): LocalGroup[] {
  return localRanks(options).map(({ world }) => world);
}

/** More turns than any operation of these tests takes: whoever needs more has hung. */
const MAX_TURNS = 1000000;

/** Lets the ranks test their requests in random order until all have completed. */
export function completeAll(requests: readonly Request[], random: Random): void {
  const open = [...requests];
  for (let turn = 0; open.length > 0; turn++) {
    if (turn > MAX_TURNS) throw new Error(`${open.length} requests still open after ${turn} turns`);
    const i = random.below(open.length);
    if (open[i]!.test()) open.splice(i, 1);
  }
}
