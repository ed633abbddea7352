/**
 * What a worker must know of an operation beside its addresses. A rank writes it down once, as text,
 * and starts it any number of times.
 */

import type { TransportKind } from "../schedules/transport/shapes.js";

/** Which elements a rank sends to each rank and expects from each. */
export interface PlanTables {
  readonly sendCounts: readonly number[];
  readonly sendOffsets: readonly number[];
  readonly recvCounts: readonly number[];
  readonly recvOffsets: readonly number[];
}

/** How contributions are combined, as kernels mean it. */
export interface PlanReduction {
  /** One of OP_CODES. */
  readonly code: number;
  /** Ranks that a sum is divided by; 1 if it is not. */
  readonly divisor: number;
  readonly preScale: number;
  readonly postScale: number;
}

/** An operation of a group as one of its ranks sees it. */
export interface Plan {
  readonly kind: TransportKind;
  /** What all ranks must agree on, as numbers of 32 bits; the last is a hash of `details`. */
  readonly fingerprint: readonly [number, number, number, number];
  /** The words behind the hash. */
  readonly details: string;
  readonly rank: number;
  readonly ranks: number;
  readonly root: number;
  /** As the operation's shape means it; 0 where counts vary. */
  readonly count: number;
  /** Code and bytes of the type that travels; 0 and 1 for a barrier. */
  readonly typeCode: number;
  readonly elementBytes: number;
  /** Undefined where nothing is combined. */
  readonly reduction?: PlanReduction;
  /** Whether ranks only meet: the rank's own thread does what follows. */
  readonly meetsOnly?: boolean;
  /** "direct", or the name of a schedule of messages. */
  readonly algorithm: string;
  /** In place: element i of send is element i + this of recv. */
  readonly sendInRecv?: number;
  /** This rank's, where counts vary. */
  readonly tables?: PlanTables;
}
