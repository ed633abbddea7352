/** Turns what engines say of failures into errors. */

import type { Failure, Mismatch } from "../../engine/failure.js";
import {
  MismatchError,
  type OperationPlace,
  RankLostError,
  TimeoutError,
} from "../../errors/communicationErrors.js";
import type { Segment } from "../../memory/segment.js";
import { fingerprintText } from "../operations/operation.js";

/** The group that has failed, as one of its ranks sees it. */
export interface FailurePlace {
  readonly segment: Segment;
  /** The host's number of each rank of the group. */
  readonly members: readonly number[];
  readonly at: OperationPlace;
}

/** What a rank asked for, in words, from its fingerprint and the details that may follow it. */
function requestText(fingerprint: string): string {
  const end = fingerprint.indexOf("|");
  const key = end === -1 ? fingerprint : fingerprint.slice(0, end);
  const details = end === -1 ? "" : fingerprint.slice(end + 1);
  const [kind, countLow, countHighAndRoot] = key.split(".").map(Number);
  return fingerprintText(
    { kind: kind!, countLow: countLow!, countHighAndRoot: countHighAndRoot! },
    details,
  );
}

function mismatchError({ asked, pairs }: Mismatch, { at }: FailurePlace): MismatchError {
  if (pairs !== undefined) return new MismatchError(at, [], pairs);
  const known = [...asked].sort((a, b) => a.rank - b.rank);
  const texts = known.map(({ fingerprint }) => requestText(fingerprint));
  return new MismatchError(at, texts);
}

/** The error that tells a caller of a failure. */
export function errorOf(failure: Failure, place: FailurePlace): Error {
  const { at, members, segment } = place;
  switch (failure.kind) {
    case "mismatch":
      return mismatchError(failure, place);
    case "timeout":
      return new TimeoutError(at, failure.timeoutMs, failure.missing);
    case "lost": {
      const status = segment.statusOf(failure.rank);
      const known = status.kind === "running" ? ({ kind: "exited", code: 0 } as const) : status;
      return new RankLostError(at, [{ rank: members.indexOf(failure.rank), status: known }]);
    }
    case "badMessage":
      return new Error(
        `Progress failed on rank ${at.rank}, group "${at.group}", operation ${at.sequence} ` +
          `(${at.operation}): rank ${members.indexOf(failure.rank)} sent ${failure.reason}`,
      );
  }
}
