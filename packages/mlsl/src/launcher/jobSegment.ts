/** The segment of a job as its launcher sees it: made, marked, and told which rank has ended. */

import { closeSync, writeSync } from "node:fs";
import { headerWords } from "../memory/header.js";
import type { Native } from "../memory/native.js";
import { encodeStatus, type RankStatus, statusOffset } from "../memory/rankStatus.js";
import { newThreadMemory } from "../memory/segment.js";

/** What a launcher does with a segment, whatever its form. */
export interface JobSegment {
  /** Tells the peers how a rank has ended. */
  writeStatus(rank: number, status: RankStatus): void;
  /** Lets go of it; ranks that still map it keep it alive. */
  close(): void;
}

/** A segment in an anonymous file, for ranks that are processes. */
export class FileSegment implements JobSegment {
  readonly fd: number;

  /**
   * Reserves all pages, so that no rank can later die of a page that cannot be had.
   *
   * @throws {Error} With `code` ENOSPC or ENOMEM if there is not enough memory.
   */
  constructor(native: Native, byteLength: number, ranks: number) {
    this.fd = native.memfdCreate("mlsl-segment");
    try {
      native.posixFallocate(this.fd, byteLength);
      for (const [byteOffset, word] of headerWords(ranks)) this.#write(byteOffset, word);
    } catch (error) {
      closeSync(this.fd);
      throw error;
    }
  }

  writeStatus(rank: number, status: RankStatus): void {
    this.#write(statusOffset(rank), encodeStatus(status));
  }

  close(): void {
    closeSync(this.fd);
  }

  /** A positioned write reaches the same page cache that the ranks have mapped. */
  #write(byteOffset: number, word: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(word); // The order of WebAssembly memory, on every machine.
    writeSync(this.fd, bytes, 0, 4, byteOffset);
  }
}

/** A segment in this process, for ranks that are threads. Its pages are taken when first used. */
export class MemorySegment implements JobSegment {
  readonly memory: WebAssembly.Memory;
  readonly #words: Int32Array;

  /** @throws {RangeError} If that much address space cannot be had. */
  constructor(byteLength: number, ranks: number) {
    this.memory = newThreadMemory(ranks, byteLength);
    this.#words = new Int32Array(this.memory.buffer);
  }

  writeStatus(rank: number, status: RankStatus): void {
    // Safe: only the launcher writes a status, each word is complete in itself, and readers need
    // no other data to be visible with it.
    Atomics.store(this.#words, statusOffset(rank) / 4, encodeStatus(status));
  }

  close(): void {
    // The garbage collector frees it once no thread uses it.
  }
}
