/**
 * Words of the blocks through which kernels and their callers speak. All are 32-bit, given as
 * indexes from the start of the block.
 *
 * The *control block* of a group of n ranks (in the shared segment):
 *
 *     line 0            how many ranks have left the group for good (word 0)
 *     line 1 … n        arrival lines of even operations, one per rank
 *     line n+1 … 2n     arrival lines of odd operations
 *     line 2n+1 … 3n    phases, one per rank
 *     line 3n+1 … 4n    mailboxes (word 0), one per rank: where its outgoing messages are listed
 *     then 2n slots of SLOT_BYTES: payloads too large for a line, even then odd operations
 *
 * Two sets of lines are enough: a rank begins operation k+1 only when it has seen everybody's
 * line of operation k, and with that, that everybody has left operation k−1, whose set it reuses.
 *
 * Every line is a cache line of its own, written by one rank: no line bounces between writers.
 */

import { MAX_WAITING } from "./reductionTree.js";

/** Bytes of a cache line. */
export const LINE_BYTES = 64;
/** Payload that travels inside an arrival line. */
export const INLINE_BYTES = 32;
/** Where it starts in the line. */
export const INLINE_OFFSET = 32;
/**
 * Largest payload that travels beside a line: above it, two meetings and one pass over the data
 * in place cost less than everybody's reading everybody's copy.
 */
export const SLOT_BYTES = 4096;

/** Words of an arrival line. */
export const LINE = {
  sequence: 0,
  kind: 1,
  countLow: 2,
  countHighAndRoot: 3,
  send: 4,
  recv: 5,
  details: 6,
  extra: 7,
} as const;

/**
 * Words of a request block (private to a rank, in its arena). Words 5 … 11 are copied into the
 * line. `sleepers` is the address of the 64 bits that say which ranks sleep, `maskLow` and
 * `maskHigh` which of them belong to the group. What a rank wants of payloads are their bytes from
 * `begin` to `end`: a reduction combines them by the `plan`; a fetch copies those of rank `first`
 * to the beginning of `recv`, and those of the ranks after it, before rank `last`, `stride` bytes further
 * on each.
 */
export const REQUEST = {
  lines: 0,
  slots: 1,
  ranks: 2,
  rank: 3,
  sequence: 4,
  kind: 5,
  countLow: 6,
  countHighAndRoot: 7,
  send: 8,
  recv: 9,
  details: 10,
  extra: 11,
  payloadBytes: 12,
  spins: 13,
  published: 14,
  plan: 15,
  sleepers: 16,
  begin: 17,
  maskLow: 18,
  maskHigh: 19,
  end: 20,
  first: 21,
  last: 22,
  stride: 23,
} as const;

/** Bytes of a request block. */
export const REQUEST_BYTES = 128;

/**
 * Words of a reduction plan; the addresses of sources and then of targets follow. `code` is
 * type << 8 | operator, `ranks` what sums are divided by, `tree` the address of the order in which to
 * combine, see reductionTree.ts. `pre` and `post` are float64 of two words each, factors of
 * contributions and of results; word 5 is spare. What an operator does not use is ignored. A plan
 * begins at a multiple of 64 bytes, so that its factors are aligned.
 */
export const PLAN = {
  code: 0,
  sourceCount: 1,
  targetCount: 2,
  ranks: 3,
  tree: 4,
  pre: 6,
  post: 8,
  addresses: 10,
} as const;

/** Bytes of a plan for a group: both tables hold an address per rank. */
export function planBytes(ranks: number): number {
  return 4 * (PLAN.addresses + 2 * ranks);
}

/**
 * How many targets a plan should name. The fastest loops are those for 2 and 4 sources with as many
 * targets; a target that is named twice is written twice, in the same cache line, which costs less
 * than the loop for any number.
 */
export function plannedTargets(sources: number, targets: number): number {
  return sources === 2 || sources === 4 ? sources : targets;
}

/** Words of a turn of a tree, which is an array of them. */
export const TURN = { rank: 0, merges: 1, words: 2 } as const;

/** Bytes of the tree of a group, with room for the blocks that wait, at whole cache lines. */
export function treeBytes(ranks: number): number {
  const turns = Math.ceil((4 * TURN.words * ranks) / LINE_BYTES) * LINE_BYTES;
  return turns + MAX_WAITING * LINE_BYTES;
}

/** What an exchange came to. */
export const EXCHANGE = { done: 0, waiting: 1, mismatch: 2, wake: 3 } as const;
/** One of {@link EXCHANGE}. */
export type ExchangeResult = (typeof EXCHANGE)[keyof typeof EXCHANGE];

/** Byte offsets inside a control block. */
export interface ControlLayout {
  readonly left: number;
  /** Arrival lines of even and of odd operations. */
  readonly lines: readonly [number, number];
  readonly phases: number;
  readonly mailboxes: number;
  readonly slots: readonly [number, number];
}

/** Bytes of the control block of a group. */
export function controlBytes(ranks: number): number {
  return LINE_BYTES + 4 * ranks * LINE_BYTES + 2 * ranks * SLOT_BYTES;
}

/** Layout of the control block of a group of `ranks` that starts at `byteOffset`. */
export function controlLayout(byteOffset: number, ranks: number): ControlLayout {
  const row = ranks * LINE_BYTES;
  const lines = byteOffset + LINE_BYTES;
  const slots = lines + 4 * row;
  return {
    left: byteOffset,
    lines: [lines, lines + row],
    phases: lines + 2 * row,
    mailboxes: lines + 3 * row,
    slots: [slots, slots + ranks * SLOT_BYTES],
  };
}
