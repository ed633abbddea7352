/** Who belongs to which new group: pure functions of what the ranks of the old one have asked for. */

/** What a rank asks for. */
export interface Membership {
  readonly color: number;
  readonly key: number;
}

/** The colour of ranks that want no group. */
const NO_GROUP = -1;

/** @throws {TypeError} If colour or key is not a whole number. */
export function checkMembership({ color, key }: Membership): void {
  for (const [name, value] of [
    ["color", color],
    ["key", key],
  ] as const) {
    if (!Number.isSafeInteger(value)) {
      throw new TypeError(`Cannot split: ${name} must be a whole number, got ${String(value)}`);
    }
  }
  if (color < NO_GROUP) {
    throw new RangeError(`Cannot split: color must be ${NO_GROUP} or more, got ${color}`);
  }
}

/**
 * The ranks of the old group that make up a rank's new one, in their new order; none for those that
 * want no group.
 */
export function membersOf(asked: readonly Membership[], rank: number): number[] {
  const { color } = asked[rank]!;
  if (color === NO_GROUP) return [];
  return asked
    .map(({ key }, r) => ({ key, r }))
    .filter(({ r }) => asked[r]!.color === color)
    .sort((a, b) => a.key - b.key || a.r - b.r)
    .map(({ r }) => r);
}

/** @throws {RangeError} If a list of ranks holds one twice, or one that the group does not have. */
export function checkRankList(list: readonly number[], ranks: number): void {
  if (!Array.isArray(list)) {
    throw new TypeError(`Cannot make a group: a list of ranks is expected, got ${String(list)}`);
  }
  list.forEach((rank, i) => {
    if (!Number.isInteger(rank) || rank < 0 || rank >= ranks) {
      throw new RangeError(
        `Cannot make a group: ranks must be from 0 to ${ranks - 1}, got ${String(rank)}`,
      );
    }
    if (list.indexOf(rank) !== i) {
      throw new RangeError(`Cannot make a group: rank ${rank} is in the list twice`);
    }
  });
}

/**
 * What a list of ranks asks for: the colour is its first rank, the key this rank's place.
 * Only members of the list ask.
 */
export function membershipIn(list: readonly number[], rank: number): Membership {
  const key = list.indexOf(rank);
  return key === -1 ? { color: NO_GROUP, key: 0 } : { color: list[0]!, key };
}

/**
 * Makes sure that the ranks of a list have all given that list.
 *
 * @param listed the lists of all ranks, each as the place of every rank in it, −1 if it is not there
 * @throws {Error} If not; names the ranks.
 */
export function checkSameLists(listed: readonly (readonly number[])[]): void {
  listed.forEach((places, rank) => {
    if (places[rank] === -1) return;
    places.forEach((place, other) => {
      if (place === -1) return;
      const theirs = listed[other]!;
      if (places.every((p, r) => p === theirs[r])) return;
      throw new Error(
        `Cannot make a group: ranks ${rank} and ${other} are to be in it, but gave different lists`,
      );
    });
  });
}

/** A list of ranks, from the place of every rank in it. */
export function listOf(places: readonly number[]): number[] {
  return places
    .map((place, rank) => ({ place, rank }))
    .filter(({ place }) => place !== -1)
    .sort((a, b) => a.place - b.place)
    .map(({ rank }) => rank);
}
