/**
 * Epochs that end together.
 *
 * Ranks may have different numbers of batches, or not know how many they have. A rank that has used
 * up its own goes on taking part, without a batch, in the steps of the others until a step finds
 * no rank with a batch: then the epoch is over for all of them. It costs one more all-reduce per
 * epoch and needs no numbers beforehand.
 *
 * The ranks also agree on what follows from an epoch: its logs become averages over all samples of
 * all ranks, and if training is to stop on one rank, it stops on all.
 */

import type { Scalar, Tensor, Variable } from "@tensorflow/tfjs-core";
import { Callback, type CallbackList } from "@tensorflow/tfjs-layers";
import { agreeOnEntries } from "../agreement/agreeOnEntries.js";
import { averageLogs, type Logs } from "./averageLogs.js";
import type { Participant } from "./participant.js";

/** The base class of all callbacks, which tfjs-layers does not export. */
export type BaseCallback = CallbackList["callbacks"][number];

/** Computes a step: inputs and targets in, loss and metrics out. */
export type TrainFunction = (data: Tensor[]) => Scalar[];

/** What is known of a training loop before it runs. */
export interface LoopOptions {
  /** The parameters that it trains. */
  readonly variables: readonly Variable[];
  /** This rank's batches per epoch; undefined if it is not known. */
  readonly stepsPerEpoch?: number | undefined;
  /** Samples that this rank validates on: the weight of its validation logs. */
  readonly validationSamples: number;
}

/** Keeps one training loop in step with those of the other ranks. */
export class EpochSync {
  readonly #participant: Participant;
  readonly #options: LoopOptions;
  #steps = 0;
  #samples = 0;
  #isFinished = false;

  constructor(participant: Participant, options: LoopOptions) {
    this.#participant = participant;
    this.#options = options;
  }

  /** The training step, which counts and, after the last batch, waits for the other ranks. */
  wrap(train: TrainFunction): TrainFunction {
    return (data) => {
      const logs = train(data);
      this.#steps++;
      this.#samples += data[0]?.shape[0] ?? 0;
      // Here rather than in a callback, so that validation sees the weights after the last step.
      if (this.#steps === this.#options.stepsPerEpoch) this.finish();
      return logs;
    };
  }

  /** This rank has no more batches in this epoch. Returns when no rank has. */
  finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#participant.finishEpoch(this.#options.variables);
  }

  /** The user's callbacks between two of our own. */
  around(callbacks: readonly BaseCallback[]): BaseCallback[] {
    return [new Opening(this), ...callbacks, new Closing(this)];
  }

  /** @internal Checks that the loops of the ranks can go together. */
  begin(params: Callback["params"]): void {
    const entries = ["initialEpoch", "epochs", "metrics"].map((name) => {
      const value = name === "metrics" ? trainingLabels(params) : params[name];
      return { name, value: JSON.stringify(value ?? 0) };
    });
    agreeOnEntries(this.#participant.group, entries, {
      action: "Cannot train together",
      remedy: "call fit with the same epochs and compile with the same metrics on every rank",
    });
  }

  /** @internal */
  beginEpoch(): void {
    this.#steps = 0;
    this.#samples = 0;
    this.#isFinished = false;
  }

  /** @internal Before the user's callbacks, which then see the logs of all ranks. */
  async endEpoch(logs: Logs, params: Callback["params"]): Promise<void> {
    // A loop that was broken off, by a callback that stops training, has not come to its end.
    this.finish();
    await averageLogs(this.#participant.group, logs, {
      labels: trainingLabels(params),
      samples: this.#samples,
      validationSamples: this.#options.validationSamples,
    });
  }

  /** @internal After the user's callbacks, which may have decided to stop. */
  async agreeToStop(isStopping: boolean): Promise<boolean> {
    const flag = Float64Array.of(isStopping ? 1 : 0);
    await this.#participant.group.allreduce(flag, flag, { op: "max" });
    return flag[0] === 1;
  }
}

/** Names of the loss and the metrics, without those of validation. */
function trainingLabels({ metrics, doValidation }: Callback["params"]): string[] {
  const labels = metrics as string[];
  return doValidation ? labels.slice(0, labels.length / 2) : labels;
}

class Opening extends Callback {
  readonly #sync: EpochSync;

  constructor(sync: EpochSync) {
    super();
    this.#sync = sync;
  }

  override async onTrainBegin(): Promise<void> {
    this.#sync.begin(this.params);
  }

  override async onEpochBegin(): Promise<void> {
    this.#sync.beginEpoch();
  }

  override async onEpochEnd(_epoch: number, logs: Logs = {}): Promise<void> {
    await this.#sync.endEpoch(logs, this.params);
  }
}

class Closing extends Callback {
  readonly #sync: EpochSync;

  constructor(sync: EpochSync) {
    super();
    this.#sync = sync;
  }

  override async onEpochEnd(): Promise<void> {
    const isStopping = this.model.stopTraining === true;
    if (await this.#sync.agreeToStop(isStopping)) this.model.stopTraining = true;
  }
}
