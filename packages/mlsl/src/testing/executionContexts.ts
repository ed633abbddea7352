/** What a group's execution works with, for each rank of a job in one thread. */

import type { ExecutionContext } from "../collectives/execution/meeting.js";
import { takeBlocks } from "../collectives/groups/groupMemory.js";
import { rankContext } from "../collectives/requests/rankContext.js";
import { chooseKernels } from "../kernels/chooseKernels.js";
import { controlLayout } from "../kernels/exchangeLayout.js";
import { CONTROL_OFFSET, segmentBytesFor } from "../memory/layout.js";
import { joinThreadSegment, newThreadMemory } from "../memory/segment.js";

/** Bytes of a rank's arena: staging blocks of 64 KiB. */
const ARENA_BYTES = 1048576;

/** The contexts of the ranks of a world. */
export function executionContexts(ranks: number): ExecutionContext[] {
  const shared = newThreadMemory(ranks, segmentBytesFor(ranks, ARENA_BYTES));
  return Array.from({ length: ranks }, (_, rank) => {
    const segment = joinThreadSegment(shared, { rank, ranks });
    const parts = { segment, kernels: chooseKernels(shared, undefined), crowded: true };
    return {
      ...rankContext(parts),
      memory: { ...takeBlocks(segment, ranks), control: controlLayout(CONTROL_OFFSET, ranks) },
      place: { group: "world", rank },
      rank,
      ranks,
      members: Array.from({ length: ranks }, (_, r) => r),
    };
  });
}
