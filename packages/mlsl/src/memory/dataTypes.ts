/** The element types that operations know, and the arrays that carry them. */

import { BFloat16View, Float16View } from "./halfViews.js";

/** The array class of each data type, over ordinary or shared memory. */
export interface ArrayOf {
  /** Signed 8-bit integers. */
  int8: Int8Array;
  /** Bytes. */
  uint8: Uint8Array;
  /** Signed 16-bit integers. */
  int16: Int16Array;
  /** Unsigned 16-bit integers. */
  uint16: Uint16Array;
  /** Signed 32-bit integers. */
  int32: Int32Array;
  /** Unsigned 32-bit integers. */
  uint32: Uint32Array;
  /** Signed 64-bit integers, as bigints. */
  int64: BigInt64Array;
  /** Unsigned 64-bit integers, as bigints. */
  uint64: BigUint64Array;
  /** Half precision: 1 sign, 5 exponent, 10 fraction. A native Float16Array is taken, too. */
  float16: Float16View;
  /** The upper half of single precision: 1 sign, 8 exponent, 7 fraction. */
  bfloat16: BFloat16View;
  /** Single precision. */
  float32: Float32Array;
  /** Double precision. */
  float64: Float64Array;
}

/** Name of an element type. */
export type DataType = keyof ArrayOf;

/** An array of a data type, over ordinary or shared memory. */
export type ElementArray<T extends DataType = DataType> = ArrayOf[T];

/** What is known of a data type. */
export interface DataTypeInfo {
  readonly name: DataType;
  /** Number that stands for the type in fingerprints and kernels. */
  readonly code: number;
  /** Bytes of an element. */
  readonly byteLength: number;
  /** Integers wrap and have bits; floats round and have NaN. */
  readonly family: "int" | "float";
}

const TYPES: Readonly<Record<DataType, DataTypeInfo>> = {
  uint8: { name: "uint8", code: 1, byteLength: 1, family: "int" },
  int32: { name: "int32", code: 2, byteLength: 4, family: "int" },
  float32: { name: "float32", code: 3, byteLength: 4, family: "float" },
  float64: { name: "float64", code: 4, byteLength: 8, family: "float" },
  int8: { name: "int8", code: 5, byteLength: 1, family: "int" },
  int16: { name: "int16", code: 6, byteLength: 2, family: "int" },
  uint16: { name: "uint16", code: 7, byteLength: 2, family: "int" },
  uint32: { name: "uint32", code: 8, byteLength: 4, family: "int" },
  int64: { name: "int64", code: 9, byteLength: 8, family: "int" },
  uint64: { name: "uint64", code: 10, byteLength: 8, family: "int" },
  float16: { name: "float16", code: 11, byteLength: 2, family: "float" },
  bfloat16: { name: "bfloat16", code: 12, byteLength: 2, family: "float" },
};

type ArrayClass<T extends DataType> = new (
  buffer: ArrayBufferLike,
  byteOffset: number,
  length: number,
) => ArrayOf[T];

const CLASSES: { readonly [T in DataType]: ArrayClass<T> } = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float16: Float16View,
  bfloat16: BFloat16View,
  float32: Float32Array,
  float64: Float64Array,
};

/** Node.js 24 and later have float16 arrays of their own. */
const NativeFloat16Array = (globalThis as { Float16Array?: abstract new () => object })
  .Float16Array;

/** All data types, by code. */
export const DATA_TYPES: readonly DataTypeInfo[] = Object.values(TYPES);

/**
 * What is known of a type, by its name.
 *
 * @throws {TypeError} If there is no such type.
 */
export function dataTypeInfo(name: DataType): DataTypeInfo {
  if (!Object.hasOwn(TYPES, name)) {
    throw new TypeError(
      `Unknown data type "${name}": expected one of ${Object.keys(TYPES).join(", ")}`,
    );
  }
  return TYPES[name];
}

/**
 * The type of an array's elements.
 *
 * @throws {TypeError} If no data type is carried by such an array.
 */
export function dataTypeOf(array: ElementArray): DataTypeInfo {
  // A chain of instanceof is monomorphic per call site and allocates nothing. The most frequent
  // types come first.
  if (array instanceof Float32Array) return TYPES.float32;
  if (array instanceof Float64Array) return TYPES.float64;
  if (array instanceof Uint8Array) return TYPES.uint8;
  if (array instanceof Int32Array) return TYPES.int32;
  if (array instanceof BFloat16View) return TYPES.bfloat16;
  if (array instanceof Float16View) return TYPES.float16;
  if (array instanceof Int8Array) return TYPES.int8;
  if (array instanceof Int16Array) return TYPES.int16;
  if (array instanceof Uint16Array) return TYPES.uint16;
  if (array instanceof Uint32Array) return TYPES.uint32;
  if (array instanceof BigInt64Array) return TYPES.int64;
  if (array instanceof BigUint64Array) return TYPES.uint64;
  return nativeTypeOf(array);
}

function nativeTypeOf(array: object): DataTypeInfo {
  if (NativeFloat16Array !== undefined && array instanceof NativeFloat16Array) return TYPES.float16;
  const names = Object.values(CLASSES).map((one) => one.name);
  throw new TypeError(
    `Cannot communicate ${Object.prototype.toString.call(array)}: ` +
      `expected one of ${names.join(", ")}`,
  );
}

/** A view of `count` elements of a type at a byte offset of a buffer. */
export function viewOf<T extends DataType>(
  type: T,
  buffer: ArrayBufferLike,
  byteOffset: number,
  count: number,
): ElementArray<T> {
  return new CLASSES[type](buffer, byteOffset, count);
}
