/** Why a group has failed, as engines tell each other: data, not errors. */

import type { Match } from "./frames.js";

/** Two ranks asked for different things under one match. */
export interface Mismatch {
  readonly kind: "mismatch";
  readonly match: Match;
  /** Ranks of the group with the fingerprints that they gave. */
  readonly asked: readonly { readonly rank: number; readonly fingerprint: string }[];
  /** What single pairs of ranks do not agree on, in words, where the fingerprints are the same. */
  readonly pairs?: readonly string[];
}

/** A rank of the group is gone. */
export interface Lost {
  readonly kind: "lost";
  /** Rank of the job. */
  readonly rank: number;
  readonly reason: string;
}

/** A request took longer than it may. */
export interface TimedOut {
  readonly kind: "timeout";
  readonly match: Match;
  readonly timeoutMs: number;
  /** The rank of the group whose time was up, and those that it still waited for. */
  readonly rank: number;
  readonly missing: readonly number[];
}

/** What came from a peer is no message of this protocol. */
export interface BadMessage {
  readonly kind: "badMessage";
  /** Rank of the job that sent it. */
  readonly rank: number;
  readonly reason: string;
}

export type Failure = Mismatch | Lost | TimedOut | BadMessage;
