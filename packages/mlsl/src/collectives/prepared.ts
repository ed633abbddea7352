/**
 * An operation with everything that follows from its arguments worked out once: asking a typed
 * array for its buffer and offset costs more than a small all-reduce.
 */

import { SLOT_BYTES } from "../kernels/exchangeLayout.js";
import { OP_CODES } from "../kernels/kernels.js";
import type { Segment } from "../memory/segment.js";
import { type Fingerprint, fingerprintOf, type Operation } from "./operation.js";

/** An operation of a group, ready to be executed any number of times. */
export interface Prepared {
  readonly operation: Operation;
  readonly print: Fingerprint;
  /** Bytes of `send`. */
  readonly byteLength: number;
  /** Whether the data travels with the meeting. */
  readonly small: boolean;
  /** Byte offset in the segment; undefined when the array lies outside, or there is none. */
  readonly send: number | undefined;
  readonly recv: number | undefined;
  readonly sendOutside: boolean;
  readonly recvOutside: boolean;
  /** Whether this rank's data is of use to others: not so when another is the root. */
  readonly gives: boolean;
  /** First word of a reduction plan. */
  readonly planCode: number;
}

/** Works out what follows from an operation's arguments. */
export function prepare(operation: Operation, segment: Segment): Prepared {
  const { kind, root, send, recv, op, type } = operation;
  const sendInside = send !== undefined && segment.holds(send);
  const recvInside = recv !== undefined && segment.holds(recv);
  const byteLength = send?.byteLength ?? 0;
  return {
    operation,
    print: fingerprintOf(operation),
    byteLength,
    small: byteLength <= SLOT_BYTES,
    send: sendInside ? send.byteOffset : undefined,
    recv: recvInside ? recv.byteOffset : undefined,
    sendOutside: send !== undefined && !sendInside,
    recvOutside: recv !== undefined && !recvInside,
    gives: byteLength > 0 && (kind !== "broadcast" || root === segment.rank),
    planCode: op === undefined ? 0 : (type?.code ?? 0) * 256 + OP_CODES[op],
  };
}
