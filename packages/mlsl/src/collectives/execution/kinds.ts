/** How each collective moves its data when ranks see each other's memory. */

import type { DirectPattern } from "../../schedules/direct.js";
import type { CollectiveKind } from "../operations/operation.js";

/** A collective's way. */
export interface KindInfo {
  readonly pattern: DirectPattern;
  /** Whether a giver has a block for every rank, or one for all. */
  readonly perRank: boolean;
}

/** By collective; a barrier moves nothing. */
export const KIND_INFO: Readonly<Record<Exclude<CollectiveKind, "barrier">, KindInfo>> = {
  allreduce: { pattern: "reduceForAll", perRank: false },
  reduce: { pattern: "reduceForRoot", perRank: false },
  reduceScatter: { pattern: "reduceOwn", perRank: true },
  reduceScatterv: { pattern: "reduceOwn", perRank: true },
  broadcast: { pattern: "fetchFromRoot", perRank: false },
  scatter: { pattern: "fetchFromRoot", perRank: true },
  scatterv: { pattern: "fetchFromRoot", perRank: true },
  gather: { pattern: "fetchToRoot", perRank: false },
  gatherv: { pattern: "fetchToRoot", perRank: false },
  allgather: { pattern: "fetchAll", perRank: false },
  allgatherv: { pattern: "fetchAll", perRank: false },
  alltoall: { pattern: "fetchAll", perRank: true },
  alltoallv: { pattern: "fetchAll", perRank: true },
};

/** Whether a pattern combines contributions. */
export function reduces(pattern: DirectPattern): boolean {
  return pattern === "reduceForAll" || pattern === "reduceForRoot" || pattern === "reduceOwn";
}
