/** Views of a segment for the plain kernels. */

import { DATA_TYPES, type DataTypeInfo, type ElementArray, viewOf } from "../memory/dataTypes.js";
import type { BFloat16View, Float16View } from "../memory/halfViews.js";

/**
 * The type of a code.
 *
 * @throws {TypeError} If there is none.
 */
export function typeOfCode(typeCode: number): DataTypeInfo {
  const type = DATA_TYPES.find(({ code }) => code === typeCode);
  if (type === undefined) throw new TypeError(`Cannot find the type of code ${typeCode}`);
  return type;
}

/**
 * Halves at a byte offset.
 *
 * @throws {TypeError} If the code is of another type.
 */
export function halvesAt(
  buffer: ArrayBufferLike,
  typeCode: number,
  byteOffset: number,
  count: number,
): Float16View | BFloat16View {
  const { name } = typeOfCode(typeCode);
  if (name !== "float16" && name !== "bfloat16") {
    throw new TypeError(`Cannot convert ${name}: expected float16 or bfloat16`);
  }
  return viewOf(name, buffer, byteOffset, count);
}

/** The elements of an array of floats. */
export function readNumbers(array: ElementArray): number[] {
  return Array.from(array, Number);
}

/** Writes numbers, rounded to the array's type. */
export function writeNumbers(array: ElementArray, values: readonly number[]): void {
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) {
    throw new TypeError("Cannot write numbers to an array of bigints");
  }
  array.set(values);
}

/** The elements of an array of integers of any width. */
export function readIntegers(array: ElementArray): bigint[] {
  return Array.from<number | bigint, bigint>(array, BigInt);
}

/** Writes integers modulo the range of the array's type. */
export function writeIntegers(array: ElementArray, values: readonly bigint[]): void {
  if (array instanceof BigInt64Array || array instanceof BigUint64Array) array.set(values);
  // Unchanged up to 53 bits, which is more than these types wrap to.
  else writeNumbers(array, values.map(Number));
}
