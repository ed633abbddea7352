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
  /** What waits for room. */
  #kept: Int32Array[] = [];
  /** Whether the ring holds some that were not shown. */
  #hasHidden = false;
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
    return this.#kept.length === 0 && !this.#hasHidden;
  }

  done(running: Running): void {
    this.#write(running, 0);
    this.#keep();
  }

  fail(running: Running, failure: Failure): void {
    const text = JSON.stringify(failure);
    if (text !== this.#lastFailure.text) {
      this.#lastFailure = { text, ...this.#notes.write(failure) };
    }
    this.#write(running, 1);
    this.#draft.words[COMPLETION.noteAddress] = this.#lastFailure.address;
    this.#draft.words[COMPLETION.noteNumber] = this.#lastFailure.number;
    this.#keep();
  }

  /** Keeps the draft until it may be shown: in the ring, if there is room. */
  #keep(): void {
    const { words } = this.#draft;
    if (this.#kept.length === 0 && this.#put(words)) return;
    this.#kept.push(words.slice());
  }

  #put(record: Int32Array): boolean {
    const word = this.#ring.claim();
    if (word === -1) return false;
    for (let i = 0; i < RECORD_WORDS; i++) this.#words[word + i] = record[i]!;
    this.#hasHidden = true;
    return true;
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
    while (written < this.#kept.length && this.#put(this.#kept[written]!)) written++;
    if (written > 0) this.#kept = this.#kept.slice(written);
    if (!this.#hasHidden) return false;
    this.#hasHidden = false;
    this.#ring.publish();
    return true;
  }
}
