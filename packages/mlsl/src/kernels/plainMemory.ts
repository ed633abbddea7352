/** Views of a segment for the plain kernels. */

import { DATA_TYPES } from "../memory/dataTypes.js";

/** Arrays that can be reduced. */
export type Reals = Float32Array | Float64Array;

/**
 * The reals of a type (by code) in `byteLength` bytes at a byte offset.
 *
 * @throws {TypeError} If the type has no reduction.
 */
export function realsAt(
  buffer: ArrayBufferLike,
  typeCode: number,
  byteOffset: number,
  byteLength: number,
): Reals {
  const type = DATA_TYPES.find(({ code }) => code === typeCode);
  if (type?.name === "float32") return new Float32Array(buffer, byteOffset, byteLength / 4);
  if (type?.name === "float64") return new Float64Array(buffer, byteOffset, byteLength / 8);
  throw new TypeError(`Cannot reduce elements of type code ${typeCode}: no kernel`);
}
