/** The ranks of a group that have ended. */

import type { LostRank } from "../../errors/communicationErrors.js";
import type { ExecutionContext } from "../execution/meeting.js";

/** Those that the launcher has seen end, by their number in the group. */
export function lostRanks({ segment, members }: ExecutionContext): LostRank[] {
  const lost: LostRank[] = [];
  members.forEach((member, rank) => {
    const status = segment.statusOf(member);
    if (status.kind !== "running") lost.push({ rank, status });
  });
  return lost;
}
