/**
 * What an engine executes: a schedule of messages, cut into chunks. Each chunk of a step is an
 * operation of its own that waits for just those operations whose bytes it needs or overwrites, so
 * chunks of one step travel while those of the step before are still combined, and between any two
 * chunks something more urgent may come first.
 *
 * Cutting does not change a result: every element is combined with the same elements in the same
 * order whatever the chunks are, because the schedule is made for the whole vector first.
 */

import type { BufferName } from "../schedules/transport/steps.js";

/** What an operation does. */
export const OP_SEND = 0;
/** Overwrite a region with what arrives. */
export const OP_RECEIVE = 1;
/** region = received ∘ region. */
export const OP_BEFORE = 2;
/** region = region ∘ received. */
export const OP_AFTER = 3;
/** Copy a region of the rank to another one. */
export const OP_COPY = 4;
/** Keep what arrives where its sender has it, for the OP_REDUCE that waits for it. */
export const OP_HOLD = 5;
/** region = what is held from all peers and a region of this rank's own, combined at once. */
export const OP_REDUCE = 6;

/** Names of buffers by the numbers that programs use. */
export const BUFFERS: readonly BufferName[] = ["send", "recv", "scratch"];

/** One rank's part of a collective. Never changed once it is made, so requests share it. */
export interface Program {
  /** Elements of a chunk; the same on all ranks. */
  readonly chunkCount: number;
  /** Bytes of an element. */
  readonly elementBytes: number;
  /** Elements of scratch. */
  readonly scratchCount: number;
  /** By operation: what it does. */
  readonly kinds: Uint8Array;
  /** By operation: whom it sends to or receives from, a rank of the group; −1 for copies. */
  readonly peers: Int32Array;
  /** By operation: number of the buffer of the region that is sent, or written. */
  readonly buffers: Uint8Array;
  /** By operation: where the region begins, and how long it is, in elements. */
  readonly offsets: Float64Array;
  readonly counts: Float64Array;
  /** By operation: where a copy comes from, or a reduction's own contribution. */
  readonly fromBuffers: Uint8Array;
  readonly fromOffsets: Float64Array;
  /** By send: its number among those to the same peer, which names the matching receive. */
  readonly ordinals: Int32Array;
  /** By operation: how many others must be complete first. */
  readonly waits: Int32Array;
  /** Operations that wait for operation i: next[nextStarts[i]] … next[nextStarts[i+1]−1]. */
  readonly nextStarts: Int32Array;
  readonly next: Int32Array;
  /** The receives from a peer, by number. */
  readonly receives: ReadonlyMap<number, Int32Array>;
  /** By OP_REDUCE: the OP_HOLD operations whose messages it combines. */
  readonly held: ReadonlyMap<number, readonly number[]>;
}
