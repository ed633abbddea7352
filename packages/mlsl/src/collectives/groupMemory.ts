/** The parts of the segment that a group works with, on one rank. */

import {
  type ControlLayout,
  controlLayout,
  planBytes,
  REQUEST_BYTES,
  TURN,
  treeBytes,
} from "../kernels/exchangeLayout.js";
import { reductionTree } from "../kernels/reductionTree.js";
import { arenaOf } from "../memory/layout.js";
import type { Segment } from "../memory/segment.js";

/**
 * Bytes of a staging block, of which a rank has two. Small enough that the chunk just copied in
 * is still in the core's own cache when it is reduced, large enough that a meeting per chunk costs
 * little beside it; measured with `mlsl bench --outside`.
 */
const MAX_CHUNK_BYTES = 131072;

/** Small arenas give an eighth of themselves to a staging block. */
const ARENA_SHARE = 8;

/** Where a group's blocks lie. */
export interface GroupMemory {
  readonly control: ControlLayout;
  /** Request block and plan of this rank. */
  readonly request: number;
  readonly plan: number;
  /** The order of reductions, which the plan refers to. */
  readonly tree: number;
  /** Two staging blocks, one after the other. */
  readonly staging: number;
  readonly chunkBytes: number;
}

/**
 * Takes a group's memory from the segment, for as long as the rank lives.
 *
 * @param controlOffset of the group's control block, the same on every rank
 * @throws {SegmentFullError} If the arena is too small.
 */
export function groupMemory(segment: Segment, controlOffset: number): GroupMemory {
  const { rank, ranks, buffer } = segment;
  const arenaBytes = arenaOf(rank, ranks, buffer.byteLength).byteLength;
  const share = Math.floor(arenaBytes / ARENA_SHARE / 4096) * 4096;
  const chunkBytes = Math.min(Math.max(share, 4096), MAX_CHUNK_BYTES);
  return {
    control: controlLayout(controlOffset, ranks),
    request: segment.allocateBytes(REQUEST_BYTES),
    plan: segment.allocateBytes(planBytes(ranks)),
    tree: allocateTree(segment),
    staging: segment.allocateBytes(2 * chunkBytes),
    chunkBytes,
  };
}

function allocateTree(segment: Segment): number {
  const { ranks, words } = segment;
  const tree = segment.allocateBytes(treeBytes(ranks));
  for (const [i, { rank, merges }] of reductionTree(ranks).entries()) {
    words[tree / 4 + TURN.words * i + TURN.rank] = rank;
    words[tree / 4 + TURN.words * i + TURN.merges] = merges;
  }
  return tree;
}
