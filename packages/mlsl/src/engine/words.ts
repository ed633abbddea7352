/** The words that engines say about requests. */

import type { HelloPart, ReadyPart } from "./frames.js";
import type { EngineRequest } from "./request.js";

/** "I am here" of a round. */
export function hello({ group, match, spec }: EngineRequest, round: number): HelloPart {
  return { kind: "hello", group: group.id, match, round, fingerprint: spec.fingerprint };
}

/** "I have started again." */
export function ready({ group, match }: EngineRequest): ReadyPart {
  return { kind: "ready", group: group.id, match };
}
