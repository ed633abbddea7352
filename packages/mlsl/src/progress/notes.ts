/**
 * Texts that are too long for a record: why a group has failed. The writer has a few places, which it
 * uses in turn; who reads too late finds that the number of the text is another one.
 */

import { NOTE_BYTES, NOTES } from "./workerBlock.js";

/** Where a text is. */
export interface NotePlace {
  readonly address: number;
  /** Which text of its writer it is, from 1. */
  readonly number: number;
}

/** Words of a note: the number of its text, and its length in bytes. */
const HEADER_WORDS = 2;
const TEXT_OFFSET = 4 * HEADER_WORDS;

/** Writes texts. */
export class NoteWriter {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #first: number;
  #count = 0;

  /** @param first address of the places */
  constructor(words: Int32Array, first: number) {
    this.#words = words;
    this.#bytes = new Uint8Array(words.buffer);
    this.#first = first;
  }

  /** Writes a value down; cut off, it cannot be read any more. */
  write(value: unknown): NotePlace {
    const address = this.#first + (this.#count % NOTES) * NOTE_BYTES;
    this.#count++;
    const text = new TextEncoder().encode(JSON.stringify(value));
    const kept = text.subarray(0, NOTE_BYTES - TEXT_OFFSET);
    this.#bytes.set(kept, address + TEXT_OFFSET);
    this.#words[address / 4 + 1] = kept.length;
    // Safe: after the text; whoever reads the number it was told of sees that text.
    Atomics.store(this.#words, address / 4, this.#count);
    return { address, number: this.#count };
  }
}

/** What was written down; undefined if it has been overwritten since. */
export function readNote(words: Int32Array, { address, number }: NotePlace): unknown {
  const length = words[address / 4 + 1]!;
  const first = address + TEXT_OFFSET;
  // A decoder refuses shared memory, so the bytes are copied.
  const bytes = new Uint8Array(words.buffer, first, Math.min(length, NOTE_BYTES)).slice();
  // Safe: only compared; a text that is overwritten meanwhile has another number, or is no JSON.
  if (Atomics.load(words, address / 4) !== number) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
