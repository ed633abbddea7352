/** A small seeded generator for simulations and tests: the same seed, the same run. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0; // bits: the generator's 32-bit state
  }

  /** A number in [0, 1). Source: mulberry32, public domain, by Tommy Ettinger. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0; // bits: arithmetic modulo 2³²
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number in [0, end). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  /** True for so many of all calls; a share of 1 is all. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Puts items in any order, in place. */
  shuffle<T>(items: T[]): T[] {
    for (let end = items.length; end > 1; end--) {
      const index = this.below(end);
      const last = items[end - 1]!;
      items[end - 1] = items[index]!;
      items[index] = last;
    }
    return items;
  }
}
