/**
 * Messages from one rank to another, as they stand in shared memory. A sender lists its messages to
 * a rank as a chain of *envelopes* in its own arena; the receiver follows the chain, takes what its
 * receives ask for, wherever in the chain it is, and says so in the envelope.
 *
 * An outbox is a line for each rank of the group: its word 0 is the address of the first envelope to
 * that rank, 0 as long as there is none. Where a rank's outbox lies is written in the group's control
 * block when it sends for the first time.
 *
 * The data is in the envelope itself (up to INLINE_BYTES), or at `address` as a whole, or passes
 * there through two chunks of `chunkBytes` each, of which `staged` have been written so far and
 * `taken` read.
 */

import { LINE_BYTES } from "../../kernels/exchangeLayout.js";

/** Words that the sender writes, at the front; those that the receiver writes, on the second line. */
export const ENVELOPE = {
  next: 0,
  tag: 1,
  type: 2,
  countLow: 3,
  countHigh: 4,
  address: 5,
  /** 0 when the data lies at the address as a whole. */
  chunkBytes: 6,
  staged: 7,
  /** Address of a copy that the sender made because nobody had asked for the message. */
  aside: 8,
  /** 1 when the sender has given up amid the message: no more chunks will come. */
  cut: 9,
  /** Who decides about the message, see {@link CLAIM}; changed by compare-and-exchange only. */
  claim: 16,
  taken: 17,
  outcome: 18,
  /** 1 when the receiver has followed `next`: it needs the envelope only for the message itself. */
  passed: 19,
  wantedType: 20,
  wantedLow: 21,
  wantedHigh: 22,
} as const;

/** Values of `claim`. */
export const CLAIM = {
  /** Nobody yet. */
  open: 0,
  /** The receiver takes the data from `address`. */
  receiver: 1,
  /** The sender has copied the data to `aside`, where the receiver takes it from. */
  aside: 2,
  /** The sender has given up. */
  withdrawn: 3,
} as const;

/** Values of `outcome`; anything but `pending` says that the receiver needs the data no more. */
export const OUTCOME = {
  pending: 0,
  received: 1,
  /** Type or count were not those of the receive. */
  refused: 2,
  /** The receiver gave up amid the message, or has seen that the sender gave up. */
  dropped: 3,
} as const;

/** Data that fits is in the envelope: a message of a few numbers costs one block of memory. */
export const INLINE_BYTES = 64;

/** Where it begins. */
export const INLINE_OFFSET: number = 2 * LINE_BYTES;

/** Bytes of an envelope. */
export const ENVELOPE_BYTES: number = INLINE_OFFSET + INLINE_BYTES;

/** Bytes of an outbox. */
export function outboxBytes(ranks: number): number {
  return ranks * LINE_BYTES;
}

/** 2³²: counts have 48 bits and are cut by arithmetic. */
const WORD = 4294967296;

/** Words of a count. */
export function countWords(count: number): [low: number, high: number] {
  return [count % WORD, Math.floor(count / WORD)];
}

/** The count that two words make up. */
export function countOf(low: number, high: number): number {
  return ((low + WORD) % WORD) + WORD * high;
}
