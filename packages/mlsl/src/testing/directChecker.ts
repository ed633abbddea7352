/**
 * Proves a direct schedule: plays all ranks step by step in every order that the meetings allow
 * (the fastest and the slowest rank as far apart as possible, and at random), on a model of the
 * memory in which every staging block and result remembers whose chunk it holds. Anything read
 * too early, overwritten too early or left undone is found.
 */

import type { DirectPattern, Step } from "../schedules/direct.js";
import type { Random } from "../simulation/random.js";

/** The model of one rank. */
interface RankModel {
  readonly steps: readonly Step[];
  next: number;
  syncs: number;
  /** Chunk that each of the two staging blocks holds, and who has reduced it. */
  readonly blocks: { chunk: number; reducedBy: Set<number> }[];
  /** Chunks whose result has arrived in `recv`, by the rank that they come from. */
  readonly received: Set<string>;
}

/** What a schedule is checked for. */
export interface CheckOptions {
  readonly pattern: DirectPattern;
  readonly ranks: number;
  /** Ranks that give data, all of which lies outside the segment: the hardest case. */
  readonly givers: readonly number[];
  readonly random: Random;
}

function fail(what: string, rank: number, step: Step): never {
  throw new Error(`Rank ${rank} at ${JSON.stringify(step)}: ${what}`);
}

/** Plays the schedules of all ranks; throws where one is wrong. */
export class DirectChecker {
  readonly #options: CheckOptions;
  readonly #models: RankModel[];

  constructor(schedules: readonly (readonly Step[])[], options: CheckOptions) {
    this.#options = options;
    this.#models = schedules.map((steps) => ({
      steps,
      next: 0,
      syncs: 0,
      blocks: [0, 1].map(() => ({ chunk: -1, reducedBy: new Set<number>() })),
      received: new Set<string>(),
    }));
    for (const giver of options.givers) this.#stage(giver, 0);
  }

  /** @returns what each rank has received, as "from:chunk", sorted */
  run(): string[][] {
    for (;;) {
      const ready = this.#models.map((_, rank) => rank).filter((rank) => this.#isReady(rank));
      if (ready.length === 0) break;
      this.#step(this.#options.random.pick(ready));
    }
    this.#models.forEach(({ steps, next }, rank) => {
      if (next < steps.length) fail("deadlock", rank, steps[next]!);
    });
    return this.#models.map(({ received }) => [...received].sort());
  }

  #isReady(rank: number): boolean {
    const { steps, next, syncs } = this.#models[rank]!;
    if (next >= steps.length) return false;
    if (steps[next]!.kind !== "sync") return true;
    // A rank passes its meeting k when everybody has come to theirs.
    return this.#models.every((other) => {
      const atSync = other.steps[other.next]?.kind === "sync" ? 1 : 0;
      return other.syncs + atSync > syncs;
    });
  }

  #step(rank: number): void {
    const model = this.#models[rank]!;
    const step = model.steps[model.next++]!;
    if (step.kind === "sync") model.syncs++;
    else if (step.kind === "stage") this.#stage(rank, step.chunk);
    else if (step.kind === "reduce") this.#reduce(rank, step);
    else if (step.kind === "fetch") this.#fetch(rank, step);
    else if (step.kind === "give") this.#give(rank, step);
    else this.#collect(rank, step);
  }

  #stage(rank: number, chunk: number): void {
    this.#models[rank]!.blocks[chunk % 2] = { chunk, reducedBy: new Set() };
  }

  #block(owner: number, rank: number, step: Step & { chunk: number }) {
    const block = this.#models[owner]!.blocks[step.chunk % 2]!;
    if (block.chunk !== step.chunk) {
      fail(`the block of rank ${owner} holds chunk ${block.chunk}`, rank, step);
    }
    return block;
  }

  #reduce(rank: number, step: Step & { chunk: number }): void {
    for (let owner = 0; owner < this.#options.ranks; owner++) {
      const { reducedBy } = this.#block(owner, rank, step);
      if (reducedBy.has(rank)) fail("reduced twice", rank, step);
      reducedBy.add(rank);
    }
  }

  #fetch(rank: number, step: Step & { kind: "fetch" }): void {
    this.#block(step.from, rank, step);
    this.#models[rank]!.received.add(`${step.from}:${step.chunk}`);
  }

  #give(rank: number, step: Step & { kind: "give" }): void {
    this.#block(rank, rank, step);
    const taker = this.#models[step.to]!;
    if (taker.next >= taker.steps.length) fail(`rank ${step.to} has gone on`, rank, step);
    taker.received.add(`${rank}:${step.chunk}:given`);
  }

  #collect(rank: number, step: Step & { chunk: number }): void {
    const { reducedBy } = this.#block(rank, rank, step);
    if (this.#options.pattern === "reduceOwn") {
      // Nobody else works on a rank's own block, so it may be collected at once.
      if (!reducedBy.has(rank)) fail("collected before it was reduced", rank, step);
      this.#models[rank]!.received.add(`own:${step.chunk}`);
      return;
    }
    if (reducedBy.size !== this.#options.ranks) {
      fail(`collected after ${reducedBy.size} of ${this.#options.ranks} slices`, rank, step);
    }
    this.#models[rank]!.received.add(`all:${step.chunk}`);
  }
}
