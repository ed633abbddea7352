/**
 * What can go wrong between ranks through no fault of the call itself. Callers may catch these;
 * the group is closed afterwards, the process lives. Match on `code`.
 */

import type { RankStatus } from "../memory/rankStatus.js";
import { rankList } from "./rankList.js";

/** Where an operation stood when it failed. */
export interface OperationPlace {
  /** Name of the group. */
  readonly group: string;
  /** This rank in the group. */
  readonly rank: number;
  /** The operation in words, like "allreduce sum of 1000 float32". */
  readonly operation: string;
  /** Its number in the group, from 1. */
  readonly sequence: number;
}

function where({ group, rank, operation, sequence }: OperationPlace): string {
  return `rank ${rank}, group "${group}", operation ${sequence} (${operation})`;
}

/** What all failures between ranks have in common. Match on `code`. */
export abstract class CommunicationError extends Error {
  /** Which failure it is; the same in every version. */
  abstract readonly code: string;
  /** The rank that the error was thrown on. */
  readonly rank: number;
  /** The operation in words, like "allreduce sum of 1000 float32". */
  readonly operation: string;

  protected constructor(
    message: string,
    { rank, operation }: Pick<OperationPlace, "rank" | "operation">,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
    this.rank = rank;
    this.operation = operation;
  }
}

/** The ranks of a group asked for different operations. Nobody's data was changed. */
export class MismatchError extends CommunicationError {
  /** The ranks of a group did not ask for the same operation. */
  readonly code = "MLSL_MISMATCH";
  /**
   * What each rank asked for, in the order of the ranks; empty if all asked for the same, but the
   * counts of single pairs of ranks differ, which the message names.
   */
  readonly requested: readonly string[];

  /** @param pairs what single pairs of ranks do not agree on, in words */
  constructor(place: OperationPlace, requested: readonly string[], pairs: readonly string[] = []) {
    const ranksBy = new Map<string, number[]>();
    requested.forEach((text, rank) => {
      ranksBy.set(text, [...(ranksBy.get(text) ?? []), rank]);
    });
    // The minority first: it is the likelier culprit.
    const sides = [...ranksBy].sort((a, b) => a[1].length - b[1].length);
    const texts = sides.map(([text, ranks]) => `${rankList(ranks)} asked for ${text}`);
    super(`Mismatch at ${where(place)}: ${[...texts, ...pairs].join("; ")}`, place);
    this.requested = requested;
  }
}

/** A rank, and how it ended. */
export interface LostRank {
  /** Its number in the group. */
  readonly rank: number;
  /** Its exit code, or the signal that ended it. */
  readonly status: Exclude<RankStatus, { kind: "running" }>;
}

function ending({ rank, status }: LostRank): string {
  return status.kind === "exited"
    ? `rank ${rank} has exited with code ${status.code}`
    : `rank ${rank} was ended by signal ${status.signal}`;
}

/** A rank ended before it took part in an operation that others wait for. */
export class RankLostError extends CommunicationError {
  /** A rank ended before it took part. */
  readonly code = "MLSL_RANK_LOST";
  /** The ranks that are gone, and how they ended. */
  readonly lost: readonly LostRank[];

  constructor(place: OperationPlace, lost: readonly LostRank[]) {
    super(
      `Rank lost at ${where(place)}: ${lost.map(ending).join("; ")} without taking part`,
      place,
    );
    this.lost = lost;
  }
}

/** A wait lasted longer than it may. */
export class TimeoutError extends CommunicationError {
  /** A wait lasted longer than it may. */
  readonly code = "MLSL_TIMEOUT";
  /** The ranks that have not taken part. */
  readonly missing: readonly number[];

  constructor(place: OperationPlace, timeoutMs: number, missing: readonly number[]) {
    super(
      `Timed out after ${timeoutMs} ms at ${where(place)}: ` +
        `${rankList(missing)} ${missing.length === 1 ? "has" : "have"} not taken part; ` +
        "raise timeoutMs or MLSL_TIMEOUT_MS if the ranks may differ by more",
      place,
    );
    this.missing = missing;
  }
}

/** A group was used after one of its operations had failed. `cause` is that failure. */
export class GroupClosedError extends CommunicationError {
  /** An earlier operation of the group has failed. */
  readonly code = "MLSL_GROUP_CLOSED";

  constructor(place: Pick<OperationPlace, "group" | "rank" | "operation">, cause: Error) {
    super(
      `Cannot start ${place.operation} on rank ${place.rank}: group "${place.group}" was closed ` +
        `by an earlier failure: ${cause.message}`,
      place,
      { cause },
    );
  }
}
