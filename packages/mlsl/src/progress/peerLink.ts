/**
 * What a worker says to the worker of the same number of another rank, and hears from it. A full
 * ring never blocks: what does not fit is kept here until there is room. No data passes through it: the
 * receiver reads in the sender's memory and says when it has.
 */

import { type RecordMemory, recordMemory } from "./records.js";
import { RECORD_BYTES, RECORD_WORDS, RingReader, RingWriter, ringBytes } from "./ring.js";
import { findWorkerBlock, PEER_SLOTS, workerLayout } from "./workerBlock.js";

/** Both ends of a link. */
export interface LinkPlace {
  readonly ranks: number;
  readonly worker: number;
  readonly own: number;
  readonly peer: number;
}

/** A link to one peer. */
export class PeerLink {
  /** Rank of the job. */
  readonly peer: number;
  /** Whether something was published since the peer was last woken. */
  hasNews = false;
  /** Whether the peer's rank has ended: nothing is said to it any more. */
  hasEnded = false;
  /** The record being written; {@link push} sends it. */
  readonly draft: RecordMemory = recordMemory(new ArrayBuffer(RECORD_BYTES));
  readonly #memory: RecordMemory;
  readonly #place: LinkPlace;
  readonly #inbound: RingReader;
  #outbound: RingWriter | undefined;
  #peerBlock = 0;
  /** What waits for room, and how much of it has gone. */
  #kept: Int32Array[] = [];
  #gone = 0;

  /** @param block of this worker */
  constructor(memory: RecordMemory, block: number, place: LinkPlace) {
    const inbound = block + workerLayout(place.ranks).inbound;
    this.peer = place.peer;
    this.#memory = memory;
    this.#place = place;
    const ring = inbound + place.peer * ringBytes(PEER_SLOTS);
    this.#inbound = new RingReader(memory.words, ring, PEER_SLOTS);
  }

  /** The peer worker's block; 0 as long as its rank has not joined. */
  get peerBlock(): number {
    return this.#peerBlock;
  }

  /** Whether something waits for room. */
  get isHeldUp(): boolean {
    return this.#kept.length > 0;
  }

  /** Index of the first word of the next record that has come; −1 if there is none. */
  peek(): number {
    return this.#inbound.peek();
  }

  /** Takes the record that was peeked. */
  release(): void {
    this.#inbound.release();
  }

  /** Sends the draft, in order. */
  push(): void {
    if (this.hasEnded) return;
    if (this.#kept.length > 0 || !this.#write(this.draft.words)) {
      this.#kept.push(this.draft.words.slice());
    }
  }

  #write(record: Int32Array): boolean {
    const word = this.#ring()?.claim() ?? -1;
    if (word === -1) return false;
    const { words } = this.#memory;
    for (let i = 0; i < RECORD_WORDS; i++) words[word + i] = record[i]!;
    this.hasNews = true;
    return true;
  }

  #ring(): RingWriter | undefined {
    if (this.#outbound !== undefined) return this.#outbound;
    const { ranks, worker, own, peer } = this.#place;
    const block = findWorkerBlock(this.#memory.words, ranks, { rank: peer, worker });
    if (block === undefined) return undefined;
    this.#peerBlock = block;
    const ring = block + workerLayout(ranks).inbound + own * ringBytes(PEER_SLOTS);
    this.#outbound = new RingWriter(this.#memory.words, ring, PEER_SLOTS);
    return this.#outbound;
  }

  /** Writes what was kept as far as there is room, and shows the peer all that is written. */
  flush(): void {
    while (this.#gone < this.#kept.length && this.#write(this.#kept[this.#gone]!)) this.#gone++;
    if (this.#gone === this.#kept.length && this.#gone > 0) {
      this.#kept = [];
      this.#gone = 0;
    }
    if (this.hasNews) this.#outbound!.publish();
  }

  /** The peer's rank has ended. */
  end(): void {
    this.hasEnded = true;
    this.#kept = [];
    this.#gone = 0;
  }
}
