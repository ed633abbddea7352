/** A group of one rank. */

import { createSharedState, ThreadGroup } from "./threadGroup.js";

/** The group that a program gets that was not launched. */
export function soloGroup(): ThreadGroup {
  return new ThreadGroup(0, createSharedState(1, 0));
}
