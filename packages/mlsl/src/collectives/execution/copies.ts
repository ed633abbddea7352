/** Copies between a rank's own arrays and the segment. */

import { dataTypeOf, type ElementArray, viewOf } from "../../memory/dataTypes.js";
import { HalfView } from "../../memory/halfViews.js";
import type { Operation } from "../operations/operation.js";
import type { ExecutionContext } from "./meeting.js";
import type { Prepared } from "./prepared.js";

/** Bytes to copy. */
export interface Piece {
  readonly source: number;
  readonly target: number;
  readonly byteLength: number;
}

function bytesOf(array: ElementArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/**
 * Copies a part of an operation's `send` into the segment, widened to the type that travels.
 *
 * @param piece source in bytes of the type that travels, target an address
 */
export function copyIntoStaging(
  { segment }: ExecutionContext,
  { send, type }: Operation,
  { source, target, byteLength }: Piece,
): void {
  if (byteLength === 0) return;
  if (dataTypeOf(send!) === type) {
    const bytes = new Uint8Array(send!.buffer, send!.byteOffset + source, byteLength);
    new Uint8Array(segment.buffer, target, byteLength).set(bytes);
    return;
  }
  const { byteLength: elementBytes } = type!;
  const first = source / elementBytes;
  const part = send!.subarray(first, first + byteLength / elementBytes);
  widenInto(viewOf(type!.name, segment.buffer, target, part.length), part);
}

function widenInto(target: ElementArray, source: ElementArray): void {
  // Views of halves have no elements by index.
  const elements = source instanceof HalfView ? source.toFloat32() : source;
  // Both hold numbers: what is widened has at most 32 bits, see arguments/reductions.ts.
  (target as Float64Array).set(elements as unknown as ArrayLike<number>);
}

/** Copies bytes of the segment to a position of an operation's `recv`, wherever that lies. */
export function copyOut(
  { segment, kernels }: ExecutionContext,
  { recv, operation }: Prepared,
  { source, target, byteLength }: Piece,
): void {
  // A rank whose block is shorter than others' has no place for later chunks.
  if (byteLength === 0) return;
  if (recv !== undefined) {
    const address = recv + target;
    if (address !== source) kernels.copy(address, source, byteLength);
  } else {
    const bytes = new Uint8Array(segment.buffer, source, byteLength);
    bytesOf(operation.recv!).set(bytes, target);
  }
}
