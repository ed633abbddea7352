/** How the end of a rank is written down in the segment by the launcher, and read by its peers. */

import { STATUS_OFFSET } from "./layout.js";

/** A rank that has not ended. */
export interface RunningStatus {
  /** Tells the forms of a status apart. */
  readonly kind: "running";
}

/** A rank that has ended by itself. */
export interface ExitedStatus {
  /** Tells the forms of a status apart. */
  readonly kind: "exited";
  /** Its exit code, 0 to 255. */
  readonly code: number;
}

/** A rank that was ended. */
export interface SignalledStatus {
  /** Tells the forms of a status apart. */
  readonly kind: "signalled";
  /** Number of the signal, 1 to 64. */
  readonly signal: number;
}

/** How a rank stands. */
export type RankStatus = RunningStatus | ExitedStatus | SignalledStatus;

/** Added to an exit code (0…255), so that 0 can mean "running". */
const EXITED = 0x100;
/** Added to a signal number (1…64). */
const SIGNALLED = 0x200;

/** Byte offset of a rank's status in the segment. */
export function statusOffset(rank: number): number {
  return STATUS_OFFSET + 4 * rank;
}

/** The int32 that stands for a status. */
export function encodeStatus(status: RankStatus): number {
  switch (status.kind) {
    case "running":
      return 0;
    case "exited":
      return EXITED | (status.code & 0xff);
    case "signalled":
      return SIGNALLED | (status.signal & 0xff);
  }
}

/** The status that an int32 stands for. */
export function decodeStatus(word: number): RankStatus {
  if ((word & SIGNALLED) !== 0) return { kind: "signalled", signal: word & 0xff };
  if ((word & EXITED) !== 0) return { kind: "exited", code: word & 0xff };
  return { kind: "running" };
}
