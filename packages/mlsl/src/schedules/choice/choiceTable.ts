/**
 * Which algorithm is used when. A table is plain data: measured on a cluster, it is kept in a file
 * and read by every rank. The ranks of a group choose alike because they use the same table and all
 * that it asks about is known to all of them.
 */

import { findAlgorithm } from "../transport/registry.js";
import type { TransportKind } from "../transport/shapes.js";

/** Name of the algorithm that sends no messages: ranks of one host read each other's memory. */
export const DIRECT = "direct";

/**
 * For which operations an entry holds; absent limits are none. All limits are inclusive.
 *
 * Bytes are those of the vector (broadcast, reduce, allreduce), of all blocks together
 * (reduceScatter, allgather and their variable forms), or of one block (gather, scatter, alltoall).
 * Of gatherv, scatterv and alltoallv each rank knows its own part only, so entries of these, and of
 * barrier, have no limit of bytes: ranks would choose differently and wait for each other for ever.
 */
export interface ChoiceEntry {
  readonly kind: TransportKind;
  readonly minRanks?: number;
  readonly maxRanks?: number;
  readonly maxBytes?: number;
  /** "direct", or a name of ALGORITHMS[kind]. */
  readonly algorithm: string;
}

/** What was measured of progress workers that exchange chunks in shared memory. */
export interface WorkerFigures {
  /** Milliseconds that a chunk costs besides its bytes. */
  readonly overheadMs: number;
  /** Gigabytes per second of large chunks. */
  readonly bandwidthGBps: number;
}

/** Entries in order: the first that matches is used. */
export interface ChoiceTable {
  readonly version: 1;
  readonly entries: readonly ChoiceEntry[];
  /** Decide how large the chunks of progress workers are. @default those of another machine */
  readonly workers?: WorkerFigures;
}

/** What is asked about an operation. */
export interface ChoiceQuestion {
  readonly kind: TransportKind;
  readonly ranks: number;
  /** As ChoiceEntry means it; 0 for kinds whose entries have no limit of bytes. */
  readonly byteLength: number;
  /**
   * Whether the operator does not commute: entries whose algorithm does not combine in the order of
   * the ranks are then passed over. Default: false. "direct" is never passed over.
   */
  readonly inOrder?: boolean;
}

/** Kinds of which not every rank knows the bytes, or that have none. */
export const KINDS_WITHOUT_BYTES: ReadonlySet<TransportKind> = new Set<TransportKind>([
  "barrier",
  "gatherv",
  "scatterv",
  "alltoallv",
]);

function matches(entry: ChoiceEntry, { kind, ranks, byteLength, inOrder }: ChoiceQuestion) {
  const { minRanks = 1, maxRanks = Infinity, maxBytes = Infinity, algorithm } = entry;
  if (entry.kind !== kind || ranks < minRanks || ranks > maxRanks) return false;
  if (byteLength > maxBytes) return false;
  return inOrder !== true || algorithm === DIRECT || findAlgorithm(kind, algorithm).keepsOrder;
}

/**
 * The algorithm for an operation: that of the first entry that matches. To let a measured table
 * fall back to another, put the other's entries behind its own.
 *
 * @returns "direct", or a name of ALGORITHMS[kind]
 * @throws {RangeError} if no entry matches
 */
export function chooseAlgorithm(table: ChoiceTable, question: ChoiceQuestion): string {
  const entry = table.entries.find((one) => matches(one, question));
  if (entry !== undefined) return entry.algorithm;
  const { kind, ranks, byteLength, inOrder } = question;
  const order = inOrder === true ? " in the order of the ranks" : "";
  throw new RangeError(
    `Cannot choose algorithm: expected an entry for ${kind}${order} of ${byteLength} bytes on ` +
      `${ranks} ranks, got none among ${table.entries.length}; end the table with entries ` +
      "without limits",
  );
}
