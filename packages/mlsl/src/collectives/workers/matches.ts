/** The numbers by which workers know requests of a group: the same on all ranks. */

/** Numbers below this count requests without a name, in the group's order. */
const NAMED = 2 ** 51;

/** FNV-1a over UTF-16 units, from a start of its own. */
function hash(text: string, start: number): number {
  let value = start;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 16777619) >>> 0; // bits: a 32-bit hash
  }
  return value;
}

/**
 * The number of a name: 51 bits of two hashes. Two of a thousand names under way at a time get the
 * same once in 4·10⁹ jobs; all ranks then see the same, and the later one is refused.
 */
function numberOfName(name: string): number {
  const low = hash(name, 2166136261);
  const high = hash(name, 40389) % 2 ** 19;
  return NAMED + high * 2 ** 32 + low;
}

/** Numbers the requests of a group. */
export class Matches {
  readonly #occurrences = new Map<string, number>();
  #count = 0;

  /** The number of the next request; of those with one name the k-th meets the k-th of other ranks. */
  next(name: string | undefined): number {
    if (name === undefined) return this.#count++;
    const occurrence = this.#occurrences.get(name) ?? 0;
    this.#occurrences.set(name, occurrence + 1);
    return numberOfName(`${name}#${occurrence}`);
  }
}
