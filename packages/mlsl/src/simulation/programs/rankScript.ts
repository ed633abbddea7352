/** When a rank of a random program does what. */

import type { Random } from "../random.js";
import type { ProgramPlan } from "./programPlan.js";

/** What one rank does with one group. */
export interface GroupScript {
  readonly group: number;
  readonly openMs: number;
  /** Whether all requests are posted when it is opened. */
  readonly upfront: boolean;
}

/** What one rank does. */
export interface RankScript {
  readonly rank: number;
  readonly groups: readonly GroupScript[];
  /** Collectives that it takes part in, by index, with when it starts them. */
  readonly starts: readonly { readonly collective: number; readonly atMs: number }[];
  /** Whether it waits for each before the next. */
  readonly blocking: boolean;
}

/** Times in which requests of one name, or without one, come in the order in which all post them. */
function laneTimes(plan: ProgramPlan, mine: readonly number[], random: Random): number[] {
  const times = mine.map(() => random.next() * plan.spreadMs);
  const lanes = new Map<string, number[]>();
  mine.forEach((index, place) => {
    const { group, name } = plan.collectives[index]!;
    if (plan.upfront.includes(group)) return;
    const lane = `${group} ${name ?? ""}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), place]);
  });
  for (const places of lanes.values()) {
    const sorted = places.map((place) => times[place]!).sort((a, b) => a - b);
    places.forEach((place, i) => {
      times[place] = sorted[i]!;
    });
  }
  return times;
}

/** What a rank does; drawn anew for each, so that no two come in the same order. */
export function scriptOf(plan: ProgramPlan, rank: number, random: Random): RankScript {
  const groups = plan.groups.flatMap((members, group) => (members.includes(rank) ? [group] : []));
  const mine = plan.collectives.flatMap(({ group }, i) => (groups.includes(group) ? [i] : []));
  const times = laneTimes(plan, mine, random);
  const starts = mine.map((collective, place) => ({ collective, atMs: times[place]! }));
  return {
    rank,
    starts,
    groups: groups.map((group) => {
      const own = starts.filter(({ collective }) => plan.collectives[collective]!.group === group);
      const firstMs = Math.min(plan.spreadMs, ...own.map(({ atMs }) => atMs));
      return { group, openMs: random.next() * firstMs, upfront: plan.upfront.includes(group) };
    }),
    blocking: plan.blocking.includes(rank),
  };
}
