/**
 * The memory that all ranks of a host share, as one rank sees it. Two forms, same code above:
 *
 * - *threads*: the ranks are worker threads of one process and were handed the memory;
 * - *processes*: the memory's pages are replaced by those of an inherited anonymous file, so that
 *   every process has the same bytes at the same WebAssembly address.
 *
 * A process that no launcher started is alone in a segment of its own.
 */

import { ALIGNMENT_BYTES, Allocator } from "./allocator.js";
import { type DataType, dataTypeInfo, type ElementArray, viewOf } from "./dataTypes.js";
import { checkHeader, headerWords } from "./header.js";
import { arenaOf, MAX_LOCAL_RANKS, PAGE_BYTES, segmentBytesFor } from "./layout.js";
import { loadNative, type Native } from "./native.js";
import { type Parker, processParker, threadParker } from "./parker.js";
import { decodeStatus, type RankStatus, statusOffset } from "./rankStatus.js";

/** Bytes of the arena of a rank that no launcher started. Untouched pages cost nothing. */
const SOLO_ARENA_BYTES = 268435456;

/** This rank's place among the ranks of its host. */
export interface Place {
  readonly rank: number;
  readonly ranks: number;
}

/** A shared memory and this rank's share of it. */
export class Segment {
  readonly memory: WebAssembly.Memory;
  /** All bytes of the segment. */
  readonly buffer: SharedArrayBuffer;
  /** The same as 32-bit words. */
  readonly words: Int32Array;
  readonly rank: number;
  readonly ranks: number;
  readonly parker: Parker;
  readonly #allocator: Allocator;
  #reservedBytes = 0;

  /**
   * @throws {RangeError} If the place is not in the job or the segment is not one of this layout.
   */
  constructor(memory: WebAssembly.Memory, place: Place, makeParker: (words: Int32Array) => Parker) {
    const { rank, ranks } = place;
    this.memory = memory;
    this.buffer = memory.buffer;
    this.words = new Int32Array(this.buffer);
    checkPlace(place);
    checkHeader(this.words, ranks);
    this.rank = rank;
    this.ranks = ranks;
    this.parker = makeParker(this.words);
    this.#allocator = new Allocator(arenaOf(rank, ranks, this.buffer.byteLength));
  }

  /**
   * Takes `byteLength` bytes of this rank's arena for as long as the rank lives; what they hold is
   * undefined.
   *
   * @returns the byte offset, a multiple of 64
   * @throws {SegmentFullError} If no free block is large enough.
   */
  allocateBytes(byteLength: number): number {
    return this.#allocator.allocate(byteLength);
  }

  /**
   * As {@link Segment.allocateBytes}, for memory that the launcher has added to the arena for a purpose
   * of its own: it does not count as the rank's.
   */
  reserveBytes(byteLength: number): number {
    const byteOffset = this.#allocator.allocate(byteLength);
    this.#reservedBytes += byteLength;
    return byteOffset;
  }

  /** Bytes of this rank's arena, without what was reserved. */
  get arenaBytes(): number {
    const { byteLength } = arenaOf(this.rank, this.ranks, this.buffer.byteLength);
    return byteLength - this.#reservedBytes;
  }

  /** Whether {@link Segment.allocateBytes} would find so many bytes. */
  hasRoomFor(byteLength: number): boolean {
    return this.#allocator.largestBytes >= byteLength + ALIGNMENT_BYTES;
  }

  /** Bytes of this rank's arena that are free, in however many pieces. */
  get availableBytes(): number {
    return this.#allocator.availableBytes;
  }

  /** Gives back what {@link Segment.allocateBytes} took. */
  freeBytes(byteOffset: number): void {
    this.#allocator.free(byteOffset);
  }

  /**
   * An array of zeros in this rank's arena.
   *
   * @throws {SegmentFullError} If no free block is large enough.
   */
  allocate<T extends DataType>(type: T, count: number): ElementArray<T> {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new RangeError(
        `Cannot allocate: count must be a whole number of elements, ${count} was given`,
      );
    }
    const byteOffset = this.#allocator.allocate(count * dataTypeInfo(type).byteLength);
    const array = viewOf(type, this.buffer, byteOffset, count);
    new Uint8Array(this.buffer, byteOffset, array.byteLength).fill(0);
    return array;
  }

  /** Whether an array's memory is the segment's. */
  holds(array: ElementArray): boolean {
    return array.buffer === this.buffer;
  }

  /**
   * Gives an array of {@link allocate} back.
   *
   * @throws {TypeError} If it was not allocated here, or is freed already.
   */
  free(array: ElementArray): void {
    if (!this.holds(array) || !this.#allocator.owns(array.byteOffset)) {
      throw new TypeError(
        "Cannot free an array: it was not allocated in this rank's part of the segment, or was freed already",
      );
    }
    this.#allocator.free(array.byteOffset);
  }

  /** How a rank of this host stands, as far as the launcher has written it down. */
  statusOf(rank: number): RankStatus {
    // Safe: a single word, written once by the launcher after the rank has ended.
    return decodeStatus(Atomics.load(this.words, statusOffset(rank) / 4));
  }
}

function checkPlace({ rank, ranks }: Place): void {
  if (!(ranks >= 1 && ranks <= MAX_LOCAL_RANKS && rank >= 0 && rank < ranks)) {
    throw new RangeError(
      `Cannot join a segment as rank ${rank} of ${ranks}: ` +
        `a host holds 1 to ${MAX_LOCAL_RANKS} ranks, numbered from 0`,
    );
  }
}

function sharedMemory(byteLength: number): WebAssembly.Memory {
  const pages = byteLength / PAGE_BYTES;
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
}

/**
 * A segment for ranks that are threads of this process.
 *
 * @param byteLength as from `segmentBytesFor`
 */
export function newThreadMemory(ranks: number, byteLength: number): WebAssembly.Memory {
  const memory = sharedMemory(byteLength);
  const words = new Int32Array(memory.buffer);
  for (const [byteOffset, word] of headerWords(ranks)) words[byteOffset / 4] = word;
  return memory;
}

/** Joins the segment of a job whose ranks are threads. */
export function joinThreadSegment(memory: WebAssembly.Memory, place: Place): Segment {
  return new Segment(memory, place, (words) => threadParker(words, loadNative()));
}

/**
 * Joins the segment of a job whose ranks are processes: maps the inherited file over the pages of
 * a fresh memory.
 *
 * @param file descriptor and size of the file; its pages are reserved
 */
export function joinProcessSegment(
  native: Native,
  file: { readonly fd: number; readonly byteLength: number },
  place: Place,
): Segment {
  const memory = sharedMemory(file.byteLength);
  native.mapShared(new Uint8Array(memory.buffer), file.fd);
  return new Segment(memory, place, (words) => processParker(native, words));
}

/** The segment of a rank that is alone. */
export function soloSegment(): Segment {
  const memory = newThreadMemory(1, segmentBytesFor(1, SOLO_ARENA_BYTES));
  return joinThreadSegment(memory, { rank: 0, ranks: 1 });
}
