/** Records losses and times of an epoch's steps without any communication while it runs. */

import type { Logs } from "@tensorflow/tfjs-layers";
import type { Group } from "mlsl";

/** Losses of the steps of one epoch on this rank. */
export class EpochRecorder {
  readonly #losses: Float64Array;
  readonly #sizes: Float64Array;
  #steps = 0;
  #lastMs = 0;
  #fastestMs = Number.POSITIVE_INFINITY;

  constructor(steps: number) {
    this.#losses = new Float64Array(steps);
    this.#sizes = new Float64Array(steps);
  }

  /** Steps recorded. */
  get steps(): number {
    return this.#steps;
  }

  /** Time of the fastest step, from the end of the one before it; infinite before two steps. */
  get fastestMs(): number {
    return this.#fastestMs;
  }

  /** Takes what `onBatchEnd` is told, then. @returns the step's loss on this rank */
  add(logs: Logs | undefined): number {
    const loss = logs?.loss as number;
    this.#losses[this.#steps] = loss;
    this.#sizes[this.#steps] = logs?.size as number;
    const nowMs = performance.now();
    if (this.#steps > 0) this.#fastestMs = Math.min(this.#fastestMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#steps++;
    return loss;
  }

  /** Each step's loss, averaged over the samples of all ranks. A collective operation. */
  async average(group: Group): Promise<number[]> {
    const sums = this.#losses.map((loss, step) => loss * (this.#sizes[step] as number));
    await group.allreduce(sums, sums);
    const sizes = new Float64Array(this.#sizes.length);
    await group.allreduce(this.#sizes, sizes);
    return Array.from(sums, (sum, step) => sum / (sizes[step] as number));
  }
}
