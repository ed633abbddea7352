/**
 * What buffers hold before and after an operation. The elements of a rank are a wave of 64
 * numbers that moves on by one each round: an element tells who gave it, from where, and when,
 * and all types hold it exactly. As its bytes repeat, buffers are written and compared at the
 * speed of memory in every type.
 */

import { type DataTypeInfo, type ElementArray, viewOf } from "../memory/dataTypes.js";
import type { BuiltInOperator } from "./points.js";

/** Numbers of the wave. Rank 63's largest element is then 127, which int8 still holds. */
export const PERIOD = 64;

/**
 * Bytes written or compared at a time. The source stays in the first-level cache, and the call
 * costs little beside the bytes.
 */
const TILE_BYTES = 16384;

/** Factors of a product are 1 or 2 by a bit of the wave: a power of two is exact or overflows. */
const PRODUCT_BITS = 6;

/**
 * What a rank contributes where the wave stands at `phase` (index + round, modulo 64).
 *
 * @param reduce operator that will combine it, if any
 */
export function contribution(
  rank: number,
  phase: number,
  reduce: BuiltInOperator | undefined,
): number {
  if (reduce === "product") return 1 + (Math.floor(phase / 2 ** (rank % PRODUCT_BITS)) % 2);
  return rank + 1 + phase;
}

const COMBINERS: Readonly<
  Record<Exclude<BuiltInOperator, "average">, (a: number, b: number) => number>
> = {
  sum: (a, b) => a + b,
  product: (a, b) => a * b,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** The exact result of a reduction over all ranks where the wave stands at `phase`. */
export function combined(
  reduce: BuiltInOperator,
  { ranks, phase, family }: { ranks: number; phase: number; family: DataTypeInfo["family"] },
): number {
  const values = Array.from({ length: ranks }, (_, rank) => contribution(rank, phase, reduce));
  if (reduce !== "average") return values.reduce(COMBINERS[reduce]);
  const mean = values.reduce(COMBINERS.sum) / ranks;
  return family === "int" ? Math.floor(mean) : mean;
}

function store(array: ElementArray, values: readonly number[]): void {
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) {
    array.set(values.map((value) => BigInt(value)));
  } else {
    array.set(values);
  }
}

/** The memory of elements as bytes. */
export function bytesOf(array: ElementArray): Buffer {
  return Buffer.from(array.buffer as ArrayBuffer, array.byteOffset, array.byteLength);
}

/** A wave of one type, ready to be written and looked for. */
export class Wave {
  readonly #type: DataTypeInfo;
  /** A tile and one period more, so that a tile can begin at each phase. */
  readonly #elements: ElementArray;
  readonly #bytes: Buffer;

  /** @param valueAt the number at each phase; rounded or wrapped as the type does */
  constructor(type: DataTypeInfo, valueAt: (phase: number) => number) {
    this.#type = type;
    const count = TILE_BYTES / type.byteLength + PERIOD;
    this.#elements = viewOf(type.name, new ArrayBuffer(count * type.byteLength), 0, count);
    const period = Array.from({ length: PERIOD }, (_, phase) => valueAt(phase));
    store(
      this.#elements,
      Array.from({ length: count }, (_, i) => period[i % PERIOD]!),
    );
    this.#bytes = bytesOf(this.#elements);
  }

  /** Writes elements whose first has this index in the wave of a round. */
  write(target: Buffer, index: number): void {
    const first = (index % PERIOD) * this.#type.byteLength;
    for (let at = 0; at < target.length; at += TILE_BYTES) {
      const length = Math.min(TILE_BYTES, target.length - at);
      this.#bytes.copy(target, at, first, first + length);
    }
  }

  /**
   * Compares elements, bit by bit, with those that {@link Wave.write} would write.
   *
   * @returns the index of the first that differs; −1 if none does
   */
  firstWrong(target: Buffer, index: number): number {
    const first = (index % PERIOD) * this.#type.byteLength;
    for (let at = 0; at < target.length; at += TILE_BYTES) {
      const length = Math.min(TILE_BYTES, target.length - at);
      if (this.#bytes.compare(target, at, at + length, first, first + length) === 0) continue;
      let byte = 0;
      while (this.#bytes[first + byte] === target[at + byte]) byte++;
      return Math.floor((at + byte) / this.#type.byteLength);
    }
    return -1;
  }

  /** The element at an index, in words. */
  text(index: number): string {
    return elementText(this.#elements, index % PERIOD);
  }
}

/** An element in words. */
export function elementText(array: ElementArray, index: number): string {
  return String("get" in array ? array.get(index) : array[index]);
}
