/**
 * A queue of records from one thread to one other, in shared memory, without locks: each side
 * writes a counter of its own and only reads the other's.
 *
 *     line 0   how many records were written (word 0)
 *     line 1   how many were read (word 0)
 *     then slots of RECORD_BYTES
 */

import { LINE_BYTES } from "../kernels/exchangeLayout.js";

/** Bytes of a record: a cache line, so that no two records share one. */
export const RECORD_BYTES: number = LINE_BYTES;
/** The same in 32-bit words. */
export const RECORD_WORDS: number = RECORD_BYTES / 4;

/** Where the records begin. */
const SLOTS_OFFSET = 2 * LINE_BYTES;

/** Bytes of a ring of so many slots, a power of two. */
export function ringBytes(slots: number): number {
  return SLOTS_OFFSET + slots * RECORD_BYTES;
}

/** What both sides know. Counters are int32 and wrap; only their differences count. */
class RingSide {
  protected readonly words: Int32Array;
  protected readonly slots: number;
  protected readonly written: number;
  protected readonly read: number;
  readonly #first: number;

  /** @param byteOffset of the ring, zeroed before its first use */
  constructor(words: Int32Array, byteOffset: number, slots: number) {
    this.words = words;
    this.slots = slots;
    this.written = byteOffset / 4;
    this.read = (byteOffset + LINE_BYTES) / 4;
    this.#first = (byteOffset + SLOTS_OFFSET) / 4;
  }

  /** Index of the first word of record number `count`. */
  protected wordOf(count: number): number {
    return this.#first + (count & (this.slots - 1)) * RECORD_WORDS; // bits: modulo a power of two
  }
}

/** The side that writes. */
export class RingWriter extends RingSide {
  #count = 0;
  /** How many were read when last looked. */
  #taken = 0;

  /**
   * A slot for the next record, which {@link publish} shows to the reader.
   *
   * @returns index of its first word; −1 if the ring is full
   */
  claim(): number {
    if (this.#isFull()) {
      // Safe: the reader has done with the slots before it counts them.
      this.#taken = Atomics.load(this.words, this.read);
      if (this.#isFull()) return -1;
    }
    const word = this.wordOf(this.#count);
    this.#count = (this.#count + 1) | 0; // bits: wraps as the counters in memory do
    return word;
  }

  #isFull(): boolean {
    return ((this.#count - this.#taken) | 0) >= this.slots; // bits: a difference of wrapped counters
  }

  /** Shows all claimed records to the reader. */
  publish(): void {
    // Safe: the records were written before; whoever sees the count sees them.
    Atomics.store(this.words, this.written, this.#count);
  }
}

/** The side that reads. */
export class RingReader extends RingSide {
  #count = 0;

  /** Index of the first word of the next record; −1 if there is none. It is valid until released. */
  peek(): number {
    // Safe: the writer stores the count after the records.
    if (Atomics.load(this.words, this.written) === this.#count) return -1;
    return this.wordOf(this.#count);
  }

  /** Gives the slot of the record that was peeked back to the writer. */
  release(): void {
    this.#count = (this.#count + 1) | 0; // bits: wraps as the counters in memory do
    // Safe: only the reader writes this counter, after it has read the record.
    Atomics.store(this.words, this.read, this.#count);
  }
}
