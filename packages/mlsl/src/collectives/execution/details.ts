/**
 * What a rank publishes beside its arrival line when the line is too short: what else all must agree
 * on, in words, and which elements it sends to each rank and expects from each.
 *
 *     int32 address of the rank's staging blocks
 *     int32 version: changes whenever the tables are written
 *     int32 length of the text in bytes, then the text, cut at TEXT_BYTES
 *     four tables of float64, one number per rank: send counts and offsets, receive counts and offsets
 */

import type { RankTables } from "../../schedules/directBlocks.js";
import type { BlockTables } from "../operations/operation.js";

/** Words of a block. */
const STAGING = 0;
const VERSION = 1;
const LENGTH = 2;

/** Where the text begins. */
const TEXT_OFFSET = 12;

/** Room for the words and the text; the longest text names an operator and two factors. */
const TEXT_BYTES = 256;

/** Tables of a rank. */
const TABLES = 4;

/** Bytes of the block of a rank in a group. */
export function detailsBytes(ranks: number): number {
  return TEXT_BYTES + TABLES * 8 * ranks;
}

/** Reads and writes such blocks, which begin at cache lines. */
export class Details {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #ranks: number;

  constructor(buffer: SharedArrayBuffer, ranks: number) {
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    this.#numbers = new Float64Array(buffer);
    this.#ranks = ranks;
  }

  /** Writes down where a rank's staging blocks are, once. */
  writeStaging(block: number, address: number): void {
    this.#words[block / 4 + STAGING] = address;
  }

  /** Where a rank's staging blocks are. */
  staging(block: number): number {
    return this.#words[block / 4 + STAGING]! >>> 0; // bits: a 32-bit address, read unsigned
  }

  /** Changes whenever the rank writes other tables. */
  version(block: number): number {
    return this.#words[block / 4 + VERSION]!;
  }

  /** Writes a rank's own. */
  write(block: number, text: string, tables: BlockTables | undefined): void {
    this.#words[block / 4 + LENGTH] = 0;
    if (text !== "") {
      const encoded = new TextEncoder().encode(text).subarray(0, TEXT_BYTES - TEXT_OFFSET);
      this.#words[block / 4 + LENGTH] = encoded.length;
      this.#bytes.set(encoded, block + TEXT_OFFSET);
    }
    if (tables === undefined) return;
    this.#words[block / 4 + VERSION]!++;
    const { sendCounts, sendOffsets, recvCounts, recvOffsets } = tables;
    this.#writeTable(block, 0, sendCounts);
    this.#writeTable(block, 1, sendOffsets);
    this.#writeTable(block, 2, recvCounts);
    this.#writeTable(block, 3, recvOffsets);
  }

  #indexOf(block: number, table: number): number {
    return (block + TEXT_BYTES) / 8 + table * this.#ranks;
  }

  #writeTable(block: number, table: number, numbers: readonly number[]): void {
    const first = this.#indexOf(block, table);
    for (let i = 0; i < this.#ranks; i++) this.#numbers[first + i] = numbers[i]!;
  }

  #readTable(block: number, table: number): number[] {
    const first = this.#indexOf(block, table);
    const numbers: number[] = [];
    for (let i = 0; i < this.#ranks; i++) numbers.push(this.#numbers[first + i]!);
    return numbers;
  }

  /** The text of a rank's block. */
  text(block: number): string {
    const length = Math.min(this.#words[block / 4 + LENGTH]!, TEXT_BYTES - TEXT_OFFSET);
    const first = block + TEXT_OFFSET;
    // A decoder refuses shared memory, so the bytes are copied.
    return new TextDecoder().decode(this.#bytes.slice(first, first + length));
  }

  /** The tables of a rank's block; copies, since the rank may go on. */
  tables(block: number): RankTables {
    return {
      sendCounts: this.#readTable(block, 0),
      sendOffsets: this.#readTable(block, 1),
      recvCounts: this.#readTable(block, 2),
      recvOffsets: this.#readTable(block, 3),
    };
  }
}
