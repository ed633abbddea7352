/** Two trainings side by side. */

import type { EpochEvent } from "../mnist/events.js";
import type { TrainingRun } from "./runTraining.js";

/** Figures of one training. */
export interface RunFigures {
  readonly ranks: number;
  /** Median over the epochs that count. */
  readonly secondsPerEpoch: number;
  readonly imagesPerSecond: number;
  /** The least over the epochs that count: what a step takes when nothing else disturbs it. */
  readonly fastestStepMs: number;
  /** 0 … 1 */
  readonly testAccuracy: number;
  /** All its ranks ended with the same weights, to the last bit. */
  readonly bitEqual: boolean;
  /** Median over the epochs that count. */
  readonly exposedMsPerStep: number;
}

/** Figures of both, and what they have in common. */
export interface Comparison {
  /** The one with fewer ranks first. */
  readonly runs: readonly [few: RunFigures, many: RunFigures];
  /**
   * How many times as fast the one with more ranks is: the median over the epochs that count, each
   * compared with the same epoch of the other, which was trained right before or after it.
   */
  readonly speedUp: number;
  /** The largest difference between the losses of the same step. */
  readonly maxLossDifference: number;
  /** Both trainings ended with the same weights, to the last bit. */
  readonly sameWeights: boolean;
}

/** In the first epoch code is compiled and memory is touched: it only counts if it is the only one. */
const WARM_UP_EPOCHS = 1;

/** Compares trainings of the same net on the same digits. */
export function compare(few: TrainingRun, many: TrainingRun): Comparison {
  const runs = [toFigures(few), toFigures(many)] as const;
  return {
    runs,
    speedUp: median(countedEpochs(few).map(({ ms }, i) => ms / countedEpochs(many)[i]!.ms)),
    maxLossDifference: maxDifference(lossesOf(few), lossesOf(many)),
    sameWeights: few.done.weightsHash === many.done.weightsHash,
  };
}

/** The loss of every step of all epochs. */
export function lossesOf({ epochs }: TrainingRun): number[] {
  return epochs.flatMap(({ losses }) => losses);
}

function countedEpochs({ epochs }: TrainingRun): readonly EpochEvent[] {
  return epochs.length > WARM_UP_EPOCHS ? epochs.slice(WARM_UP_EPOCHS) : epochs;
}

function toFigures(run: TrainingRun): RunFigures {
  const { start, done } = run;
  const middle = (pick: (epoch: EpochEvent) => number) => median(countedEpochs(run).map(pick));
  const secondsPerEpoch = middle(({ ms }) => ms) / 1000;
  return {
    ranks: start.ranks,
    secondsPerEpoch,
    imagesPerSecond: start.images / secondsPerEpoch,
    fastestStepMs: Math.min(...countedEpochs(run).map(({ fastestStepMs }) => fastestStepMs)),
    testAccuracy: done.testAccuracy,
    bitEqual: done.bitEqual,
    exposedMsPerStep: middle(({ exposedMsPerStep }) => exposedMsPerStep),
  };
}

/** The middle one, or the mean of the two in the middle. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(half)] as number) + (sorted[Math.ceil(half)] as number)) / 2;
}

function maxDifference(some: readonly number[], others: readonly number[]): number {
  if (some.length !== others.length) {
    throw new RangeError(
      `Cannot compare losses: expected as many steps in both, got ${some.length} and ${others.length}`,
    );
  }
  return some.reduce((max, loss, i) => Math.max(max, Math.abs(loss - (others[i] as number))), 0);
}
