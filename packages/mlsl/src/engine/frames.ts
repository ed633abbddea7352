/**
 * What engines send each other. A frame goes to one peer and holds parts of any number of requests:
 * chunks of data, as many as fit into one target size, and the few words about requests.
 */

import type { Failure } from "./failure.js";
import type { EngineRequest } from "./request.js";

/** Names a request on all ranks of its group: its number in the group's order, or its name. */
export type Match = number | string;

/** Words and data about one request. */
interface AboutRequest {
  readonly group: number;
  readonly match: Match;
}

/**
 * "I am here, with this fingerprint, and so are those I have heard of": round k of the meeting in
 * which the ranks of a group learn that all of them mean the same.
 */
export interface HelloPart extends AboutRequest {
  readonly kind: "hello";
  readonly round: number;
  readonly fingerprint: string;
  /** Whose it is at the sender; means nothing to the receiver, and is not there. */
  readonly request?: EngineRequest;
}

/** "I have started this persistent request again: you may send." */
export interface ReadyPart extends AboutRequest {
  readonly kind: "ready";
}

/** A chunk: the `ordinal`-th message from its sender to its receiver in this request. */
export interface DataPart extends AboutRequest {
  readonly kind: "data";
  readonly ordinal: number;
  readonly byteLength: number;
  /** Whose it is at the sender, so that its bytes can be found; means nothing to the receiver. */
  readonly request: EngineRequest;
  readonly op: number;
}

/** "This group has failed, and this is why." */
export interface AbortPart {
  readonly kind: "abort";
  readonly group: number;
  readonly failure: Failure;
}

export type Part = HelloPart | ReadyPart | DataPart | AbortPart;

/** Bytes that a frame, and a part in it, take besides the data. */
export const FRAME_HEADER_BYTES = 32;
export const PART_HEADER_BYTES = 32;

/** Parts that travel together. */
export interface Frame {
  /** Ranks of the job. */
  readonly from: number;
  readonly to: number;
  readonly parts: readonly Part[];
  /** Of headers and data. */
  readonly byteLength: number;
  /** Of data alone: what the bounds on bytes in flight count. */
  readonly dataBytes: number;
}
