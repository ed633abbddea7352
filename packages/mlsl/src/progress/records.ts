/**
 * The records between a rank and its workers, and between the workers of two ranks. Each has
 * RECORD_WORDS words; numbers of 64 bits take two and stand at even words.
 */

/** A memory seen as words and as numbers. */
export interface RecordMemory {
  readonly words: Int32Array;
  readonly numbers: Float64Array;
}

/** Both views of a buffer. */
export function recordMemory(buffer: ArrayBufferLike): RecordMemory {
  return { words: new Int32Array(buffer), numbers: new Float64Array(buffer) };
}

/** Word 0 of a command. */
export const COMMAND = {
  /** word 1: how many members; number 1: group; then members, see OPEN. */
  open: 1,
  /** number 1: group. */
  close: 2,
  /** word 1: id; word 4: address of the plan's text; word 5: its length in bytes. */
  plan: 3,
  /** word 1: id. */
  drop: 4,
  /** See START. */
  start: 5,
  /** word 1: slot; number 1: milliseconds after which somebody has stopped to wait for it. */
  expire: 6,
  /** number 1: group; word 4: address, word 5: number of the note that says why. */
  fail: 7,
  end: 8,
} as const;

/**
 * Members in a command to open a group: a byte each, from a word on, so many at most. The rest follows
 * in further commands.
 */
export const OPEN = { first: 4, most: 48 } as const;

/** Places in a command to start a request; words, then numbers. */
export const START = {
  slot: 1,
  plan: 2,
  send: 3,
  recv: 4,
  scratch: 5,
  /** Numbers from here. */
  match: 3,
  /** NaN if it has none. */
  priority: 4,
  /** When it was started, on the shared clock. */
  atMs: 5,
  group: 6,
} as const;

/** Places in a completion; words, then numbers. */
export const COMPLETION = {
  slot: 0,
  /** 0: done; 1: failed, and a note says why. */
  failed: 1,
  /** Numbers of milliseconds, see RequestTimes; `queued` from the start to the worker's taking it. */
  queued: 1,
  waiting: 2,
  moving: 3,
  reducing: 4,
  total: 5,
  /** Words. */
  noteAddress: 12,
  noteNumber: 13,
} as const;

/** Word 0 of a record between workers. Number 1 is the group, number 2 the match of all but `sent`. */
export const WIRE = {
  /** word 1: round; words 6 … 9: fingerprint; words 10, 11: address and length of the details. */
  hello: 1,
  /** word 1: ordinal; word 6: address; words 7, 10: the sender's number of it, its stamp; number 4: bytes. */
  data: 2,
  /** words 1, 2: the sender's number of a chunk that has been read, and its stamp. */
  sent: 3,
  /** word 6: address, word 7: number of the note that says why. */
  abort: 4,
  ready: 5,
} as const;
