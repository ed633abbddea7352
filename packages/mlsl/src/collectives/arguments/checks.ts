/** What the arguments of all operations have in common, checked before anything is changed. */

import { type DataTypeInfo, dataTypeOf, type ElementArray } from "../../memory/dataTypes.js";
import type { OrderOptions, WaitOptions } from "../options.js";

/** The group that an operation is meant for. */
export interface GroupShape {
  readonly rank: number;
  readonly ranks: number;
}

/** An array in words, like "1000 float32". */
export function elements(array: ElementArray): string {
  return `${array.length} ${dataTypeOf(array).name}`;
}

/** Whether two arrays share a byte. */
export function overlaps(a: ElementArray, b: ElementArray): boolean {
  if (a.buffer !== b.buffer || a.byteLength === 0 || b.byteLength === 0) return false;
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;
}

/**
 * The type of an array that an operation cannot do without.
 *
 * @throws {TypeError} If it is no array of a known type.
 */
export function typeOfNeeded(kind: string, name: string, array: ElementArray): DataTypeInfo {
  if (array === undefined || array === null) {
    throw new TypeError(`Cannot ${kind}: ${name} is needed on this rank, got ${array}`);
  }
  return dataTypeOf(array);
}

/**
 * What all operations have in common in their options.
 *
 * @throws {TypeError} If they are no object, but for example a single value.
 * @throws {RangeError} If the time is none that can be waited.
 */
export function checkOptions(kind: string, options: WaitOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Cannot ${kind}: options must be an object, got ${String(options)}`);
  }
  checkOrder(kind, options);
  const { timeoutMs } = options;
  if (timeoutMs === undefined || (typeof timeoutMs === "number" && timeoutMs > 0)) return;
  const text = `Cannot ${kind}: timeoutMs must be a positive number, got ${String(timeoutMs)}`;
  throw typeof timeoutMs === "number" ? new RangeError(text) : new TypeError(text);
}

/** Longest name of a request: it is part of what ranks compare. */
const MAX_NAME_LENGTH = 64;

function checkOrder(kind: string, { name, priority }: OrderOptions): void {
  if (priority !== undefined && !Number.isFinite(priority)) {
    throw new TypeError(
      `Cannot ${kind}: priority must be a finite number, got ${String(priority)}`,
    );
  }
  if (name === undefined) return;
  if (typeof name === "string" && name !== "" && name.length <= MAX_NAME_LENGTH) return;
  throw new TypeError(
    `Cannot ${kind}: name must be a text of 1 to ${MAX_NAME_LENGTH} characters, ` +
      `got ${typeof name === "string" ? `one of ${name.length}` : String(name)}`,
  );
}

/** @throws {TypeError} If the types differ. */
export function checkSameType(kind: string, send: ElementArray, recv: ElementArray): void {
  if (dataTypeOf(send) !== dataTypeOf(recv)) {
    throw new TypeError(
      `Cannot ${kind}: send and recv must have one type, got ${elements(send)} and ${elements(recv)}`,
    );
  }
}

/**
 * @param part how many elements of `whole` come before the part that `inner` may be
 * @param rule what is allowed, for the message
 * @throws {RangeError} If the arrays overlap and `inner` is not that part of `whole`.
 */
export function checkOverlap(
  kind: string,
  { inner, whole, part }: { inner: ElementArray; whole: ElementArray; part: number },
  rule: string,
): void {
  const { byteLength: elementBytes } = dataTypeOf(whole);
  if (inner.byteOffset === whole.byteOffset + part * elementBytes) return;
  if (overlaps(inner, whole)) throw new RangeError(`Cannot ${kind}: ${rule}`);
}

/** @throws {RangeError} If the arrays overlap without beginning at the same place. */
export function checkSameOrApart(kind: string, send: ElementArray, recv: ElementArray): void {
  const rule = "send and recv overlap in part; give the same array twice, or separate ones";
  checkOverlap(kind, { inner: send, whole: recv, part: 0 }, rule);
}

/** @throws {RangeError} If the arrays share an element. */
export function checkApart(kind: string, send: ElementArray, recv: ElementArray): void {
  if (overlaps(send, recv)) {
    throw new RangeError(`Cannot ${kind} in place: send and recv must not overlap`);
  }
}

/** @throws {RangeError} If it is not a rank of the group. */
export function checkRank(kind: string, name: string, rank: number, { ranks }: GroupShape): void {
  if (!Number.isInteger(rank) || rank < 0 || rank >= ranks) {
    throw new RangeError(
      `Cannot ${kind}: ${name} must be a rank from 0 to ${ranks - 1}, got ${String(rank)}`,
    );
  }
}
