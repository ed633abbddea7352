/** Checks the arguments of collectives, before anything is changed, and makes operations of them. */

import { OP_CODES } from "../kernels/kernels.js";
import { reductionExists } from "../kernels/reductions.js";
import { dataTypeOf, type ElementArray } from "../memory/dataTypes.js";
import type { AllreduceOptions, BroadcastOptions } from "./api.js";
import type { Operation } from "./operation.js";

/** Largest count that a fingerprint holds. */
const MAX_COUNT = 2 ** 48 - 1;

/** The group that an operation is meant for. */
export interface GroupShape {
  readonly rank: number;
  readonly ranks: number;
}

function elements(array: ElementArray): string {
  return `${array.length} ${dataTypeOf(array).name}`;
}

function overlaps(a: ElementArray, b: ElementArray): boolean {
  if (a.buffer !== b.buffer || a.byteLength === 0 || b.byteLength === 0) return false;
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength;
}

function checkCount(kind: string, array: ElementArray): void {
  if (array.length > MAX_COUNT) {
    throw new RangeError(`Cannot ${kind}: at most ${MAX_COUNT} elements, got ${array.length}`);
  }
}

function checkSameType(kind: string, send: ElementArray, recv: ElementArray): void {
  if (dataTypeOf(send) !== dataTypeOf(recv)) {
    throw new TypeError(
      `Cannot ${kind}: send and recv must have one type, got ${elements(send)} and ${elements(recv)}`,
    );
  }
}

/**
 * @throws {TypeError} If types differ, have no reduction, or the operator is unknown.
 * @throws {RangeError} If counts differ or the arrays overlap without being the same.
 */
export function allreduceOperation(
  send: ElementArray,
  recv: ElementArray,
  { op = "sum" }: AllreduceOptions = {},
): Operation {
  const type = dataTypeOf(send);
  checkSameType("allreduce", send, recv);
  if (!Object.hasOwn(OP_CODES, op)) {
    throw new TypeError(
      `Cannot allreduce: op must be one of ${Object.keys(OP_CODES).join(", ")}, got "${op}"`,
    );
  }
  if (!reductionExists(type.name, op)) {
    throw new TypeError(`Cannot allreduce ${type.name} by ${op}: they have no reduction`);
  }
  if (send.length !== recv.length) {
    throw new RangeError(
      `Cannot allreduce: send and recv must have equal counts, got ${elements(send)} and ${elements(recv)}`,
    );
  }
  const same = send.buffer === recv.buffer && send.byteOffset === recv.byteOffset;
  if (!same && overlaps(send, recv)) {
    throw new RangeError(
      "Cannot allreduce: send and recv overlap in part; give the same array twice, or separate ones",
    );
  }
  checkCount("allreduce", send);
  return { kind: "allreduce", type, op, root: 0, count: send.length, send, recv };
}

/** @throws {RangeError} If the root is not a rank of the group. */
export function broadcastOperation(
  buffer: ElementArray,
  { ranks }: GroupShape,
  { root = 0 }: BroadcastOptions = {},
): Operation {
  const type = dataTypeOf(buffer);
  if (!Number.isInteger(root) || root < 0 || root >= ranks) {
    throw new RangeError(
      `Cannot broadcast: root must be a rank from 0 to ${ranks - 1}, got ${root}`,
    );
  }
  checkCount("broadcast", buffer);
  const count = buffer.length;
  return { kind: "broadcast", type, op: undefined, root, count, send: buffer, recv: buffer };
}

/**
 * @throws {TypeError} If types differ.
 * @throws {RangeError} If recv does not have ranks × the count of send, or overlaps with it other
 *   than by send being this rank's part.
 */
export function allgatherOperation(
  send: ElementArray,
  recv: ElementArray,
  { rank, ranks }: GroupShape,
): Operation {
  const type = dataTypeOf(send);
  checkSameType("allgather", send, recv);
  if (recv.length !== ranks * send.length) {
    throw new RangeError(
      `Cannot allgather: recv must have ${ranks} times the count of send, ` +
        `got ${elements(send)} and ${elements(recv)}`,
    );
  }
  const inPlace = send.byteOffset === recv.byteOffset + rank * send.byteLength;
  if (!inPlace && overlaps(send, recv)) {
    throw new RangeError(
      `Cannot allgather: send overlaps with recv, but is not rank ${rank}'s part of it`,
    );
  }
  checkCount("allgather", send);
  return { kind: "allgather", type, op: undefined, root: 0, count: send.length, send, recv };
}

/** A barrier. */
export function barrierOperation(): Operation {
  const nothing = { type: undefined, op: undefined, send: undefined, recv: undefined };
  return { kind: "barrier", root: 0, count: 0, ...nothing };
}
