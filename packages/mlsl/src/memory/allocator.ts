/**
 * Allocation inside one rank's arena: best fit over a list of free blocks in the order of their
 * addresses, neighbours joined when they are given back. All bookkeeping lives in the rank's own
 * heap, so the arena itself holds nothing but data and a peer cannot damage the lists.
 *
 * Allocations are few and long-lived (a training job's buffers), hence plain arrays and linear
 * search: a few hundred blocks cost microseconds.
 */

import { SegmentFullError } from "../errors/segmentFullError.js";
import type { Arena } from "./layout.js";

/** Blocks start at cache lines: no two blocks share one, and SIMD loads are aligned. */
export const ALIGNMENT_BYTES = 64;

interface Block {
  byteOffset: number;
  byteLength: number;
}

/** Hands out blocks of an arena. */
export class Allocator {
  readonly #arena: Arena;
  /** Free blocks by address; never two that touch. */
  readonly #free: Block[];
  /** Bytes of each block handed out, by its offset. */
  readonly #used = new Map<number, number>();

  constructor(arena: Arena) {
    this.#arena = arena;
    this.#free = [{ ...arena }];
  }

  /** Bytes that are free, in however many pieces. */
  get availableBytes(): number {
    return this.#free.reduce((sum, block) => sum + block.byteLength, 0);
  }

  /** Bytes of the largest free block. */
  get largestBytes(): number {
    return this.#free.reduce((most, block) => Math.max(most, block.byteLength), 0);
  }

  /**
   * Takes a block.
   *
   * @param byteLength at least 0; rounded up to whole cache lines, at least one
   * @returns its byte offset in the segment, a multiple of 64
   * @throws {RangeError} If byteLength is not a whole number of bytes.
   * @throws {SegmentFullError} If no free block is large enough.
   */
  allocate(byteLength: number): number {
    if (!Number.isSafeInteger(byteLength) || byteLength < 0) {
      throw new RangeError(
        `Cannot allocate: a whole number of bytes is expected, ${byteLength} was given`,
      );
    }
    const lines = Math.max(1, Math.ceil(byteLength / ALIGNMENT_BYTES));
    const needed = lines * ALIGNMENT_BYTES;
    const best = this.#bestFit(needed);
    if (best === -1) {
      const { availableBytes, largestBytes } = this;
      const arenaBytes = this.#arena.byteLength;
      throw new SegmentFullError({ neededBytes: needed, availableBytes, largestBytes, arenaBytes });
    }
    const block = this.#free[best]!;
    const { byteOffset } = block;
    block.byteOffset += needed;
    block.byteLength -= needed;
    if (block.byteLength === 0) this.#free.splice(best, 1);
    this.#used.set(byteOffset, needed);
    return byteOffset;
  }

  #bestFit(needed: number): number {
    let best = -1;
    for (let i = 0; i < this.#free.length; i++) {
      const { byteLength } = this.#free[i]!;
      if (byteLength < needed) continue;
      if (best === -1 || byteLength < this.#free[best]!.byteLength) best = i;
    }
    return best;
  }

  /** Whether a block that was handed out, and not given back, starts at the offset. */
  owns(byteOffset: number): boolean {
    return this.#used.has(byteOffset);
  }

  /**
   * Gives a block back.
   *
   * @throws {TypeError} If no block that is in use starts there.
   */
  free(byteOffset: number): void {
    const byteLength = this.#used.get(byteOffset);
    if (byteLength === undefined) {
      throw new TypeError(
        `Cannot free byte offset ${byteOffset}: no block in use starts there (freed already?)`,
      );
    }
    this.#used.delete(byteOffset);
    const after = this.#free.findIndex((block) => block.byteOffset > byteOffset);
    const index = after === -1 ? this.#free.length : after;
    this.#free.splice(index, 0, { byteOffset, byteLength });
    this.#join(index);
    if (index > 0) this.#join(index - 1);
  }

  /** Joins a free block with the next one if they touch. */
  #join(index: number): void {
    const block = this.#free[index]!;
    const next = this.#free[index + 1];
    if (next === undefined || block.byteOffset + block.byteLength !== next.byteOffset) return;
    block.byteLength += next.byteLength;
    this.#free.splice(index + 1, 1);
  }
}
