/**
 * How the ranks of a group learn that all have posted a request and mean the same, before any data
 * moves: a dissemination barrier whose messages carry fingerprints. In round k a rank tells the one
 * 2^k after it, once it has heard from the one 2^(k−1) before it; ⌈log2 n⌉ rounds.
 *
 * A message of round k says that its sender agrees with the 2^k ranks up to itself, so who has heard
 * all rounds knows that all agree.
 *
 * Source: D. Hensgen, R. Finkel, U. Manber, Two algorithms for barrier synchronization, 1988.
 */

import { ceilLog2 } from "../schedules/transport/fold.js";

/** A rank's progress in one meeting. */
export class Meeting {
  readonly #ranks: number;
  readonly #rank: number;
  readonly #rounds: number;
  /** By round: whether its message has come. */
  readonly #heard: boolean[];
  #round = 0;

  constructor(ranks: number, rank: number) {
    this.#ranks = ranks;
    this.#rank = rank;
    this.#rounds = ceilLog2(ranks);
    this.#heard = new Array<boolean>(this.#rounds).fill(false);
  }

  /** Makes it a new meeting. */
  reset(): void {
    this.#heard.fill(false);
    this.#round = 0;
  }

  /** Whether all are known to agree. */
  get isOver(): boolean {
    return this.#round === this.#rounds;
  }

  /** The round whose message this rank sends next, or waits for. */
  get round(): number {
    return this.#round;
  }

  /** Whom to tell in this round. */
  get listener(): number {
    return (this.#rank + 2 ** this.#round) % this.#ranks;
  }

  /** From whom the message of this round comes. */
  get awaited(): number {
    return this.teller(this.#round);
  }

  /** From whom the message of a round comes. */
  teller(round: number): number {
    return (((this.#rank - 2 ** round) % this.#ranks) + this.#ranks) % this.#ranks;
  }

  /** Whether there is such a round, and its message has not come. */
  expects(round: number): boolean {
    return this.#heard[round] === false;
  }

  /** Takes the message of a round. @returns how many rounds are over because of it */
  hear(round: number): void {
    this.#heard[round] = true;
  }

  /** Goes to the next round if the message of this one has come. @returns whether it did */
  advance(): boolean {
    if (this.isOver || this.#heard[this.#round] !== true) return false;
    this.#round++;
    return true;
  }
}
