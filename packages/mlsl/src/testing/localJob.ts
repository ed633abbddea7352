/**
 * All ranks of a job in one thread: a rank never waits, so one thread can play them all, in an
 * order that a seed decides. What runs here is the real group on real shared memory.
 */

import type { LocalGroup } from "../collectives/groups/localGroup.js";
import { openWorld } from "../collectives/groups/world.js";
import type { Request } from "../collectives/requests/requests.js";
import { chooseKernels } from "../kernels/chooseKernels.js";
import { segmentBytesFor } from "../memory/layout.js";
import { joinThreadSegment, newThreadMemory, type Segment } from "../memory/segment.js";
import type { Random } from "./random.js";

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
}

/** A rank of a local job. */
export interface LocalRank {
  readonly world: LocalGroup;
  /** Its view of the memory that all share. */
  readonly segment: Segment;
}

/** The ranks of a job. */
export function localRanks({
  ranks,
  kernels,
  arenaBytes = 1048576,
  timeoutMs = 1000,
}: LocalJobOptions): LocalRank[] {
  const memory = newThreadMemory(ranks, segmentBytesFor(ranks, arenaBytes));
  return Array.from({ length: ranks }, (_, rank) => {
    const segment = joinThreadSegment(memory, { rank, ranks });
    const options = { segment, kernels: chooseKernels(memory, kernels), timeoutMs, crowded: true };
    return { world: openWorld(options), segment };
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
