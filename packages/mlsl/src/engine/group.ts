/** A group as an engine sees it. */

import type { Failure } from "./failure.js";
import type { HelloPart, Match } from "./frames.js";
import type { EngineRequest, RequestSpec } from "./request.js";

/** A word that came before the request that it is about was posted. */
export interface EarlyHello {
  readonly from: number;
  readonly round: number;
  readonly fingerprint: string;
}

const NO_HELLOS: readonly EarlyHello[] = [];

/** Places of the ranks of a job by list of members: simulations have thousands of ranks to a list. */
const placesByMembers = new WeakMap<readonly number[], ReadonlyMap<number, number>>();

function ranksOf(members: readonly number[]): ReadonlyMap<number, number> {
  const known = placesByMembers.get(members);
  if (known !== undefined) return known;
  const places = new Map(members.map((jobRank, place) => [jobRank, place]));
  placesByMembers.set(members, places);
  return places;
}

/** Members of a group, and what they have posted. */
export class EngineGroup {
  /** The same on all its ranks, and never that of another group. */
  readonly id: number;
  /** Ranks of the job, in the order of the group. */
  readonly members: readonly number[];
  /** This rank's place in it. */
  readonly rank: number;
  readonly requests: Map<Match, EngineRequest> = new Map();
  /** Why it has failed; it then takes nothing any more. */
  failure: Failure | undefined;
  readonly #early = new Map<Match, EarlyHello[]>();
  readonly #occurrences = new Map<string, number>();
  #posted = 0;

  readonly #ranks: ReadonlyMap<number, number>;

  /** @param jobRank this rank of the job, one of the members */
  constructor(id: number, members: readonly number[], jobRank: number) {
    this.#ranks = ranksOf(members);
    const rank = this.#ranks.get(jobRank);
    if (rank === undefined) {
      throw new RangeError(`Cannot open group ${id}: rank ${jobRank} is not one of its members`);
    }
    this.id = id;
    this.members = members;
    this.rank = rank;
  }

  /** The place of a rank of the job in the group; undefined if it is not in it. */
  rankOf(jobRank: number): number | undefined {
    return this.#ranks.get(jobRank);
  }

  /** Drops whatever came early: the group has failed, and nobody will ask for it. */
  dropKept(): void {
    this.#early.clear();
    for (const request of this.requests.values()) request.dropKept();
  }

  /** Requests that words are kept for, and what those that are here keep. */
  get heldCount(): number {
    let held = this.#early.size;
    for (const request of this.requests.values()) held += request.heldCount;
    return held;
  }

  /** The match of the next request. */
  nextMatch({ name, match }: RequestSpec): Match {
    if (match !== undefined) return match;
    if (name === undefined) return this.#posted++;
    const occurrence = this.#occurrences.get(name) ?? 0;
    this.#occurrences.set(name, occurrence + 1);
    return `${name}#${occurrence}`;
  }

  /** Keeps a word about a request that is not posted yet. */
  keepHello(from: number, { match, round, fingerprint }: HelloPart): void {
    const kept = this.#early.get(match);
    if (kept === undefined) this.#early.set(match, [{ from, round, fingerprint }]);
    else kept.push({ from, round, fingerprint });
  }

  /** Takes the words about a request that were kept. */
  takeHellos(match: Match): readonly EarlyHello[] {
    const kept = this.#early.get(match);
    if (kept !== undefined) this.#early.delete(match);
    return kept ?? NO_HELLOS;
  }
}
