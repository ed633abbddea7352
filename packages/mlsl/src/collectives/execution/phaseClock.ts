/** How far each rank of a group has come, as a number that only grows (modulo 2³²). */

import { LINE_BYTES } from "../../kernels/exchangeLayout.js";
import type { ExecutionContext } from "./meeting.js";

/** This rank's phase, and those of the others. */
export class PhaseClock {
  readonly #context: ExecutionContext;
  #phase = 0;
  #syncing = false;

  constructor(context: ExecutionContext) {
    this.#context = context;
  }

  /** This rank's phase. Between operations it is that of all ranks. */
  get phase(): number {
    return this.#phase;
  }

  #addressOf(rank: number): number {
    return this.#context.memory.control.phases + rank * LINE_BYTES;
  }

  /** Sets this rank's phase so many steps onward, and wakes who waits for it. */
  advance(steps: number): void {
    const { kernels, memory, rank, members } = this.#context;
    this.#phase = (this.#phase + steps) >>> 0; // bits: wraps at 2³²
    const asleep = kernels.advance(this.#addressOf(rank), this.#phase, memory.requests[0]);
    if (asleep !== 0) this.#context.wake(members);
  }

  /** Whether a rank has come to a phase, after `spins` looks at most. */
  hasReached(rank: number, phase: number, spins: number): boolean {
    const address = this.#addressOf(rank);
    // bits: phases wrap at 2³²
    return this.#context.kernels.awaitPhases(address, 1, phase >>> 0, spins) === 0;
  }

  /** One step onward, together: true once every rank has come. Called again until then. */
  sync(spins: number): boolean {
    if (!this.#syncing) {
      this.advance(1);
      this.#syncing = true;
    }
    const { kernels, memory, ranks } = this.#context;
    if (kernels.awaitPhases(memory.control.phases, ranks, this.#phase, spins) !== 0) return false;
    this.#syncing = false;
    return true;
  }

  /** The ranks that have not come to a phase. */
  behind(phase: number): number[] {
    const { segment, ranks } = this.#context;
    const behind: number[] = [];
    for (let rank = 0; rank < ranks; rank++) {
      // Safe: only compared; a rank that arrives meanwhile is merely still listed.
      const other = Atomics.load(segment.words, this.#addressOf(rank) / 4);
      if (((other - phase) | 0) < 0) behind.push(rank); // bits: signed difference, wraps
    }
    return behind;
  }
}
