/** What a worker tells its rank when requests are over. */

import type { Failure } from "../engine/failure.js";
import { sharedNowMs } from "./clock.js";
import type { NoteWriter } from "./notes.js";
import { COMPLETION, type RecordMemory, recordMemory } from "./records.js";
import { RECORD_BYTES, RECORD_WORDS, RingWriter } from "./ring.js";
import type { Running } from "./running.js";
import { COMPLETION_SLOTS } from "./workerBlock.js";

/** Completions that the rank has not been told of, and those that it has. */
export class Completions {
  readonly #words: Int32Array;
  readonly #ring: RingWriter;
  readonly #notes: NoteWriter;
  readonly #draft: RecordMemory = recordMemory(new ArrayBuffer(RECORD_BYTES));
  #kept: Int32Array[] = [];
  /** The failure that was written down last: all of a group fail for the same reason. */
  #lastFailure: { readonly text: string; readonly address: number; readonly number: number } = {
    text: "",
    address: 0,
    number: 0,
  };

  constructor({ words }: RecordMemory, ring: number, notes: NoteWriter) {
    this.#words = words;
    this.#ring = new RingWriter(words, ring, COMPLETION_SLOTS);
    this.#notes = notes;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  done(running: Running): void {
    this.#write(running, 0);
    this.#kept.push(this.#draft.words.slice());
  }

  fail(running: Running, failure: Failure): void {
    const text = JSON.stringify(failure);
    if (text !== this.#lastFailure.text) {
      this.#lastFailure = { text, ...this.#notes.write(failure) };
    }
    this.#write(running, 1);
    this.#draft.words[COMPLETION.noteAddress] = this.#lastFailure.address;
    this.#draft.words[COMPLETION.noteNumber] = this.#lastFailure.number;
    this.#kept.push(this.#draft.words.slice());
  }

  #write({ slot, spent, atMs }: Running, failed: 0 | 1): void {
    const { words, numbers } = this.#draft;
    words[COMPLETION.slot] = slot;
    words[COMPLETION.failed] = failed;
    numbers[COMPLETION.queued] = spent.queuedMs;
    numbers[COMPLETION.waiting] = spent.waitingMs;
    numbers[COMPLETION.moving] = spent.movingMs;
    numbers[COMPLETION.reducing] = spent.reducingMs;
    numbers[COMPLETION.total] = sharedNowMs() - atMs;
  }

  /** Shows the rank as many as there is room for. @returns whether there were any */
  publish(): boolean {
    let written = 0;
    for (const record of this.#kept) {
      const word = this.#ring.claim();
      if (word === -1) break;
      for (let i = 0; i < RECORD_WORDS; i++) this.#words[word + i] = record[i]!;
      written++;
    }
    if (written === 0) return false;
    this.#ring.publish();
    this.#kept = this.#kept.slice(written);
    return true;
  }
}
