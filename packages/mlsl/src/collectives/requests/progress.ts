/**
 * All that is pending on a rank, in whatever groups, and the ways to wait for it. A rank that waits
 * for one operation moves all others on meanwhile: peers may wait for those first.
 */

import type { ElementArray } from "../../memory/dataTypes.js";
import {
  type BufferPlace,
  type BufferPlaces,
  type Channel,
  type Entry,
  isSettled,
} from "./channel.js";
import { Pauses } from "./pauses.js";
import type { RankContext } from "./rankContext.js";

/**
 * Looks before the clock is asked at all: about a microsecond, in which a peer that is in step
 * arrives. Asking the clock twice costs a tenth of that, a fifth of a small all-reduce
 * (`node bench/waiting.mjs`).
 */
const BRIEF_SPINS = 1000;

/**
 * Looks before a rank goes to sleep, when every rank has a core: some 40 microseconds, several
 * times what a sleep and a wake cost (some 20, `node bench/waiting.mjs`), so that a rank sleeps only
 * when it pays.
 */
const PATIENT_SPINS = 40000;

/**
 * The same when ranks share cores: the peer cannot arrive while this rank holds its core. Also
 * when several channels are pending: each is looked at again soon.
 */
const CROWDED_SPINS = 10;

/**
 * How often a rank that shares its core gives way before it goes to sleep: each time the others of
 * the core run first, so mostly a few are enough, and a sleep and a wake cost more than a dozen. When
 * nobody else wants the core they take a tenth of a millisecond together.
 */
const YIELDS = 100;

/** Rounds over several channels that take about as long as patience with one. */
const PATIENT_ROUNDS = 400;

/** How often a sleeping rank looks whether a peer has ended or its time is up. */
const TICK_MS = 50;

interface Waiter {
  readonly entries: readonly Entry[];
  readonly startMs: number;
  readonly resolve: () => void;
}

/** An operation under way, and where its buffers were when it was started. */
interface Pending {
  readonly entry: Entry;
  readonly places: BufferPlaces;
}

/** Pending operations of a rank. */
export class Progress {
  readonly #context: RankContext;
  /** Channels with something pending. */
  readonly #active = new Set<Channel>();
  readonly #waiters = new Set<Waiter>();
  readonly #pauses = new Pauses(() => this.#turn());
  /** Entries that were started and may still be under way; settled ones are dropped in time. */
  #pending: Pending[] = [];

  constructor(context: RankContext) {
    this.#context = context;
  }

  /**
   * Makes sure that an operation may use its buffers.
   *
   * @param what is about to be done, in words
   * @throws {TypeError} If a pending one writes what this one uses, or uses what this one writes.
   */
  checkBuffers(
    what: () => string,
    reads: ElementArray | undefined,
    writes: ElementArray | undefined,
  ): void {
    if (this.#pending.length === 0) return;
    this.#checkPlaces(what, { reads: placeOf(reads), writes: placeOf(writes) });
  }

  /** As {@link checkBuffers}, for an entry that is about to be started. */
  checkEntry(what: () => string, entry: Entry): void {
    if (this.#pending.length > 0) this.#checkPlaces(what, placesOf(entry));
  }

  #checkPlaces(what: () => string, { reads: read, writes: written }: BufferPlaces): void {
    // Those that have settled are dropped on the way: hundreds may be under way.
    let left = 0;
    for (const pending of this.#pending) {
      if (isSettled(pending.entry)) continue;
      this.#pending[left++] = pending;
      const { reads: used, writes: changed } = pending.places;
      if (share(changed, read) || share(changed, written) || share(used, written)) {
        throw new TypeError(
          `Cannot ${what()}: a buffer is in use by an operation that has not completed; ` +
            "wait for its request first",
        );
      }
    }
    this.#pending.length = left;
  }

  /** Whether operations are under way that callers did not wait for. */
  get hasPending(): boolean {
    if (this.#pending.length === 0) return false;
    this.#pending = this.#pending.filter(({ entry }) => !isSettled(entry));
    return this.#pending.length > 0;
  }

  /** Looks that take about a microsecond, or less when peers need this rank's core. */
  get briefSpins(): number {
    return this.#context.crowded ? CROWDED_SPINS : BRIEF_SPINS;
  }

  /** Takes an operation into account until it has settled. */
  add(entry: Entry): void {
    this.#active.add(entry.channel);
    this.#pending.push({ entry, places: placesOf(entry) });
  }

  /** Moves everything on, without waiting. */
  poll(except?: Channel): void {
    for (const channel of this.#active) {
      if (channel !== except) channel.progress(0);
      if (channel.idle) this.#active.delete(channel);
    }
  }

  /** Moves an entry on without waiting; tells whether it has settled. */
  test(entry: Entry): boolean {
    if (isSettled(entry)) return true;
    this.poll();
    // Who asks again and again must hear of a rank that has ended.
    if (!isSettled(entry)) entry.channel.expire(entry, 0);
    return isSettled(entry);
  }

  /** Blocks the thread until one of the entries has settled; they are pending. */
  waitSync(entries: readonly Entry[]): void {
    const { channel } = entries[0]!;
    const isOver = (): boolean => entries.some(isSettled);
    if (isOver()) return;
    channel.progress(this.briefSpins);
    if (isOver()) return;
    this.#active.add(channel);
    const startMs = performance.now();
    try {
      while (!isOver()) {
        this.#spin(channel, isOver);
        if (isOver()) break;
        this.#context.sleep(() => {
          this.poll();
          return isOver();
        }, TICK_MS);
        this.poll();
        const waitedMs = performance.now() - startMs;
        for (const entry of entries) if (!isSettled(entry)) entry.channel.expire(entry, waitedMs);
      }
    } finally {
      const heldMs = performance.now() - startMs;
      channel.counters.exposedMs += heldMs;
      for (const entry of entries) entry.exposedMs += heldMs;
    }
  }

  #spin(channel: Channel, isOver: () => boolean): void {
    const { crowded, segment } = this.#context;
    if (!crowded && this.#active.size === 1 && this.#active.has(channel)) {
      channel.progress(PATIENT_SPINS);
      return;
    }
    const { giveWay } = segment.parker;
    const rounds = !crowded ? PATIENT_ROUNDS : giveWay === undefined ? 1 : YIELDS;
    for (let round = 0; round < rounds && !isOver(); round++) {
      channel.progress(CROWDED_SPINS);
      this.poll(channel);
      if (crowded) giveWay?.();
    }
  }

  /** Resolves when one of the entries has settled; the event loop turns meanwhile. */
  async wait(entries: readonly Entry[]): Promise<void> {
    for (const { channel } of entries) channel.progress(0);
    if (entries.some(isSettled)) return;
    const startMs = performance.now();
    await new Promise<void>((resolve) => {
      this.#waiters.add({ entries, startMs, resolve });
      this.#pauses.begin();
    });
  }

  /** One look of all promises. @returns whether something has settled, and whether any is left */
  #turn(): { settled: boolean; left: boolean } {
    this.poll();
    const nowMs = performance.now();
    let settled = false;
    for (const waiter of this.#waiters) {
      if (!waiter.entries.some(isSettled)) {
        for (const entry of waiter.entries) entry.channel.expire(entry, nowMs - waiter.startMs);
      }
      if (!waiter.entries.some(isSettled)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
      settled = true;
    }
    return { settled, left: this.#waiters.size > 0 };
  }
}

/** Undefined for a buffer that does not exist or has no byte. */
function placeOf(array: ElementArray | undefined): BufferPlace | undefined {
  if (array === undefined || array.byteLength === 0) return undefined;
  const { buffer, byteOffset: begin, byteLength } = array;
  return { buffer, begin, end: begin + byteLength };
}

/** Where an entry's buffers lie; those in shared memory stay where they are. */
function placesOf(entry: Entry): BufferPlaces {
  if (entry.places !== undefined) return entry.places;
  const places = { reads: placeOf(entry.reads), writes: placeOf(entry.writes) };
  if (isFixed(places.reads) && isFixed(places.writes)) entry.places = places;
  return places;
}

function isFixed(place: BufferPlace | undefined): boolean {
  return place === undefined || place.buffer instanceof SharedArrayBuffer;
}

/** Whether two buffers share a byte. */
function share(a: BufferPlace | undefined, b: BufferPlace | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.begin < b.end && b.begin < a.end && a.buffer === b.buffer;
}
