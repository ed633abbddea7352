/** Waiting for one's turn, when trainings share a machine: a line on rank 0's input is a turn. */

import { createInterface, type Interface } from "node:readline";
import type { Group } from "mlsl";

/** The turns of a training. */
export class Turns {
  readonly #world: Group;
  readonly #lines: Interface | undefined;
  readonly #iterator: AsyncIterator<string> | undefined;

  /** @param areGiven else it is always the training's turn, and nothing is read */
  constructor(world: Group, areGiven: boolean) {
    this.#world = world;
    if (!areGiven || world.rank !== 0) return;
    this.#lines = createInterface({ input: process.stdin });
    this.#iterator = this.#lines[Symbol.asyncIterator]();
  }

  /** Resolves on all ranks when rank 0 has been given a turn. An input that ends gives all turns. */
  async next(): Promise<void> {
    await this.#iterator?.next();
    await this.#world.barrier();
  }

  /** No more turns are needed. The rank ends once its input has ended, which the giver sees to. */
  close(): void {
    this.#lines?.close();
    if (this.#lines !== undefined) process.stdin.resume();
  }
}
