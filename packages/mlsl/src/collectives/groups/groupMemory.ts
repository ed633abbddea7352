/** The parts of the segment that a group works with, on one rank. */

import {
  type ControlLayout,
  controlBytes,
  planBytes,
  REQUEST_BYTES,
  TURN,
  treeBytes,
} from "../../kernels/exchangeLayout.js";
import { reductionTree } from "../../kernels/reductionTree.js";
import type { Segment } from "../../memory/segment.js";
import { detailsBytes } from "../execution/details.js";
import type { RankContext } from "../requests/rankContext.js";

/**
 * Bytes of a staging block, of which a rank has two. Small enough that the chunk just copied in
 * is still in the core's own cache when it is reduced, large enough that a meeting per chunk costs
 * little beside it; measured with `mlsl bench --outside`.
 */
const MAX_CHUNK_BYTES = 131072;

/** Small arenas give a sixteenth of themselves to a staging block: there may be several groups. */
const ARENA_SHARE = 16;

/** Smallest staging block: a group of 64 ranks still stages a cache line for each. */
const MIN_CHUNK_BYTES = 4096;

/** A rank's own blocks for a group. */
export interface GroupBlocks {
  /** Request blocks and plans of this rank, for even and for odd operations. */
  readonly requests: readonly [number, number];
  readonly plans: readonly [number, number];
  /** The order of reductions, which the plans refer to. */
  readonly tree: number;
  /** A plan and an order for two sources at most. */
  readonly pairPlan: number;
  readonly pairTree: number;
  /** What this rank publishes beside its line, of even and of odd operations. */
  readonly details: readonly [number, number];
  /** Two staging blocks, one after the other. */
  readonly staging: number;
  readonly chunkBytes: number;
  /** Gives all of it back. */
  free(): void;
}

/** Where a group's blocks lie. */
export interface GroupMemory extends GroupBlocks {
  /** The control block, which all ranks of the group share. */
  readonly control: ControlLayout;
}

function chunkBytesFor(segment: Segment): number {
  const share = Math.floor(segment.arenaBytes / ARENA_SHARE / 4096) * 4096;
  return Math.min(Math.max(share, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
}

/**
 * Takes a control block, zeroed, from the arena of the rank that leads a new group.
 *
 * @returns its byte offset, to be given back by `freeBytes`
 * @throws {SegmentFullError} If the arena is too small.
 */
function takeControl(segment: Segment, ranks: number): number {
  const control = segment.allocateBytes(controlBytes(ranks));
  new Uint8Array(segment.buffer, control, controlBytes(ranks)).fill(0);
  return control;
}

/**
 * Takes a rank's own blocks for a group of `ranks` from the segment.
 *
 * @throws {SegmentFullError} If the arena is too small; nothing is taken then.
 */
export function takeBlocks(segment: Segment, ranks: number): GroupBlocks {
  const taken: number[] = [];
  const free = (): void => {
    for (const block of taken.splice(0)) segment.freeBytes(block);
  };
  const take = (byteLength: number): number => {
    const block = segment.allocateBytes(byteLength);
    taken.push(block);
    return block;
  };
  const chunkBytes = chunkBytesFor(segment);
  try {
    return {
      requests: [take(REQUEST_BYTES), take(REQUEST_BYTES)],
      plans: [take(planBytes(ranks)), take(planBytes(ranks))],
      tree: writeTree(segment, take(treeBytes(ranks)), ranks),
      pairPlan: take(planBytes(2)),
      pairTree: writeTree(segment, take(treeBytes(2)), 2),
      details: [take(detailsBytes(ranks)), take(detailsBytes(ranks))],
      staging: take(2 * chunkBytes),
      chunkBytes,
      free,
    };
  } catch (error) {
    free();
    throw error;
  }
}

function writeTree({ words }: Segment, tree: number, ranks: number): number {
  for (const [i, { rank, merges }] of reductionTree(ranks).entries()) {
    words[tree / 4 + TURN.words * i + TURN.rank] = rank;
    words[tree / 4 + TURN.words * i + TURN.merges] = merges;
  }
  return tree;
}

/** What a rank has taken for a new group. */
export interface Taken {
  readonly failure: unknown;
  /** Byte offset of the control block, on the rank that leads; else 0. */
  readonly control: number;
  readonly blocks: GroupBlocks | undefined;
  free(): void;
}

/** Takes what a rank of a new group needs; nothing if it is not in one, or if it does not fit. */
export function takeFor(
  { segment, reclaimers }: RankContext,
  { rank, ranks }: { rank: number; ranks: number },
): Taken {
  const nothing = { failure: undefined, control: 0, blocks: undefined, free: () => {} };
  if (rank === -1) return nothing;
  let control = 0;
  const freeControl = (): void => {
    if (control !== 0) segment.freeBytes(control);
  };
  try {
    if (rank === 0) control = reclaimers.take(() => takeControl(segment, ranks));
    const blocks = reclaimers.take(() => takeBlocks(segment, ranks));
    const free = (): void => {
      freeControl();
      blocks.free();
    };
    return { failure: undefined, control, blocks, free };
  } catch (failure) {
    freeControl();
    return { ...nothing, failure };
  }
}
