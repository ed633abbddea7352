/**
 * What a rank publishes beside its arrival line when the line is too short: what else all must agree
 * on, in words, and which elements it sends to each rank and expects from each.
 *
 *     int32 address of the rank's staging blocks
 *     int32 length of the text in bytes, then the text, cut at TEXT_BYTES
 *     four tables of float64, one number per rank: send counts and offsets, receive counts and offsets
 */

import type { RankTables } from "../../schedules/directBlocks.js";
import type { BlockTables } from "../operations/operation.js";

/** Where the text begins. */
const TEXT_OFFSET = 8;

/** Room for the address, the length and the text; the longest text names an operator and two factors. */
const TEXT_BYTES = 256;

/** Tables of a rank. */
const TABLES = 4;

/** Bytes of the block of a rank in a group. */
export function detailsBytes(ranks: number): number {
  return TEXT_BYTES + TABLES * 8 * ranks;
}

/** Reads and writes such blocks. */
export class Details {
  readonly #buffer: SharedArrayBuffer;
  readonly #ranks: number;

  constructor(buffer: SharedArrayBuffer, ranks: number) {
    this.#buffer = buffer;
    this.#ranks = ranks;
  }

  /** Writes down where a rank's staging blocks are, once. */
  writeStaging(block: number, address: number): void {
    new Int32Array(this.#buffer, block, 1)[0] = address;
  }

  /** Where a rank's staging blocks are. */
  staging(block: number): number {
    return new Uint32Array(this.#buffer, block, 1)[0]!;
  }

  /** Writes a rank's own. */
  write(block: number, text: string, tables: BlockTables | undefined): void {
    const encoded = new TextEncoder().encode(text).subarray(0, TEXT_BYTES - TEXT_OFFSET);
    new Int32Array(this.#buffer, block, 2)[1] = encoded.length;
    new Uint8Array(this.#buffer, block + TEXT_OFFSET, encoded.length).set(encoded);
    if (tables === undefined) return;
    const { sendCounts, sendOffsets, recvCounts, recvOffsets } = tables;
    [sendCounts, sendOffsets, recvCounts, recvOffsets].forEach((numbers, i) => {
      this.#table(block, i).set(numbers);
    });
  }

  #table(block: number, index: number): Float64Array {
    const byteOffset = block + TEXT_BYTES + index * 8 * this.#ranks;
    return new Float64Array(this.#buffer, byteOffset, this.#ranks);
  }

  /** The text of a rank's block. */
  text(block: number): string {
    const length = new Int32Array(this.#buffer, block, 2)[1]!;
    const bytes = new Uint8Array(
      this.#buffer,
      block + TEXT_OFFSET,
      Math.min(length, TEXT_BYTES - TEXT_OFFSET),
    );
    // A decoder refuses shared memory, so the bytes are copied.
    return new TextDecoder().decode(bytes.slice());
  }

  /** The tables of a rank's block; copies, since the rank may go on. */
  tables(block: number): RankTables {
    const [sendCounts, sendOffsets, recvCounts, recvOffsets] = [0, 1, 2, 3].map((i) =>
      this.#table(block, i).slice(),
    );
    return {
      sendCounts: sendCounts!,
      sendOffsets: sendOffsets!,
      recvCounts: recvCounts!,
      recvOffsets: recvOffsets!,
    };
  }
}
