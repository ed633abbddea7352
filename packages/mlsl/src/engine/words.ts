/** The words that engines say about requests. */

import type { HelloPart, Match, ReadyPart } from "./frames.js";
import type { EngineRequest } from "./request.js";

/** "I am here" of a round; a request that is posted anew says it again under its new match. */
export class Hello implements HelloPart {
  readonly kind = "hello";
  readonly round: number;
  readonly request: EngineRequest;

  constructor(request: EngineRequest, round: number) {
    this.request = request;
    this.round = round;
  }

  get group(): number {
    return this.request.group.id;
  }

  get match(): Match {
    return this.request.match;
  }

  get fingerprint(): string {
    return this.request.spec.fingerprint;
  }
}

/** "I have started again." */
export function ready({ group, match }: EngineRequest): ReadyPart {
  return { kind: "ready", group: group.id, match };
}

/** A word for later. */
export function keptHello({ kind, group, match, round, fingerprint }: HelloPart): HelloPart {
  return { kind, group, match, round, fingerprint };
}
