/**
 * How ranks meet where telling costs next to nothing, as in shared memory: everybody tells everybody at
 * once. Then each rank knows what all have asked for, and who has not come. Where messages cost more,
 * they meet as meeting.ts says.
 */

/** What one rank knows of a meeting. */
export class FullMeeting {
  /** By rank: what it asks for. */
  readonly #heard: (string | undefined)[];
  readonly #rank: number;
  readonly #fingerprint: string;
  /** How many ranks have told. */
  #count = 1;
  #agree = true;

  constructor(ranks: number, rank: number, fingerprint: string) {
    this.#heard = new Array<string | undefined>(ranks).fill(undefined);
    this.#rank = rank;
    this.#fingerprint = fingerprint;
    this.#heard[rank] = fingerprint;
  }

  /** Makes it a new meeting about the same. */
  reset(): void {
    this.#heard.fill(undefined);
    this.#heard[this.#rank] = this.#fingerprint;
    this.#count = 1;
    this.#agree = true;
  }

  /** Whether all have told. */
  get isOver(): boolean {
    return this.#count === this.#heard.length;
  }

  /** Whether all that have told ask for the same. */
  get agree(): boolean {
    return this.#agree;
  }

  /** What each rank asks for, once all have told. */
  get asked(): { readonly rank: number; readonly fingerprint: string }[] {
    return this.#heard.map((fingerprint, rank) => ({ rank, fingerprint: fingerprint! }));
  }

  /** The ranks that have not told. */
  get missing(): number[] {
    return this.#heard.flatMap((one, rank) => (one === undefined ? [rank] : []));
  }

  /** Takes what a rank tells. @returns false if it has told before */
  hear(rank: number, fingerprint: string): boolean {
    if (this.#heard[rank] !== undefined) return false;
    this.#heard[rank] = fingerprint;
    this.#count++;
    if (fingerprint !== this.#fingerprint) this.#agree = false;
    return true;
  }
}
