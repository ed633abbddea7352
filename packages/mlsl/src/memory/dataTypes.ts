/** The element types that operations know, and the typed arrays that carry them. */

/** Name of an element type. */
export type DataType = "uint8" | "int32" | "float32" | "float64";

/** The typed array of each data type. */
export interface ArrayOf {
  /** Bytes. */
  uint8: Uint8Array;
  /** Signed 32-bit integers. */
  int32: Int32Array;
  /** Single precision. */
  float32: Float32Array;
  /** Double precision. */
  float64: Float64Array;
}

/** A typed array of a data type, over ordinary or shared memory. */
export type ElementArray<T extends DataType = DataType> = ArrayOf[T];

/** What is known of a data type. */
export interface DataTypeInfo {
  readonly name: DataType;
  /** Number that stands for the type in fingerprints and kernels. */
  readonly code: number;
  /** Bytes of an element. */
  readonly byteLength: number;
  /** Whether there are reduction kernels for it. */
  readonly reducible: boolean;
}

const TYPES: Readonly<Record<DataType, DataTypeInfo>> = {
  uint8: { name: "uint8", code: 1, byteLength: 1, reducible: false },
  int32: { name: "int32", code: 2, byteLength: 4, reducible: false },
  float32: { name: "float32", code: 3, byteLength: 4, reducible: true },
  float64: { name: "float64", code: 4, byteLength: 8, reducible: true },
};

/** All data types, by code. */
export const DATA_TYPES: readonly DataTypeInfo[] = Object.values(TYPES);

/**
 * What is known of a type, by its name.
 *
 * @throws {TypeError} If there is no such type.
 */
export function dataTypeInfo(name: DataType): DataTypeInfo {
  const info = TYPES[name];
  if (info === undefined) {
    throw new TypeError(
      `Unknown data type "${name}": expected one of ${Object.keys(TYPES).join(", ")}`,
    );
  }
  return info;
}

/**
 * The type of an array's elements.
 *
 * @throws {TypeError} If no data type is carried by such an array.
 */
export function dataTypeOf(array: ElementArray): DataTypeInfo {
  // A chain of instanceof is monomorphic per call site and allocates nothing.
  if (array instanceof Float32Array) return TYPES.float32;
  if (array instanceof Float64Array) return TYPES.float64;
  if (array instanceof Uint8Array) return TYPES.uint8;
  if (array instanceof Int32Array) return TYPES.int32;
  throw new TypeError(
    `Cannot communicate ${Object.prototype.toString.call(array)}: ` +
      "expected a Uint8Array, Int32Array, Float32Array or Float64Array",
  );
}

/** A view of `count` elements of a type at a byte offset of a buffer. */
export function viewOf<T extends DataType>(
  type: T,
  buffer: ArrayBufferLike,
  byteOffset: number,
  count: number,
): ElementArray<T> {
  return makeView(type, buffer, byteOffset, count) as ElementArray<T>;
}

function makeView(type: DataType, buffer: ArrayBufferLike, byteOffset: number, count: number) {
  switch (type) {
    case "uint8":
      return new Uint8Array(buffer, byteOffset, count);
    case "int32":
      return new Int32Array(buffer, byteOffset, count);
    case "float32":
      return new Float32Array(buffer, byteOffset, count);
    case "float64":
      return new Float64Array(buffer, byteOffset, count);
  }
}
