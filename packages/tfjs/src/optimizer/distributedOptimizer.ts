/** Data-parallel training with any optimizer of TensorFlow.js. */

import {
  engine,
  type NamedTensorMap,
  Optimizer,
  type serialization,
  type Variable,
} from "@tensorflow/tfjs-core";
import type { Group } from "mlsl";
import { fuseUpdates } from "../kernels/fuseUpdates.js";
import { type Average, type Gradient, GradientAverager } from "./gradientAverager.js";
import { addParticipant } from "./participant.js";
import { installTrainingLoops } from "./trainingLoops.js";

/** A tensor with a name, which tfjs-core does not export. */
type NamedTensor = Awaited<ReturnType<Optimizer["saveIterations"]>>;

/** Batch sizes travel as float32, which counts without gaps up to here. */
const MAX_BATCH_SIZE = 2 ** 24;

/**
 * An optimizer around another one: gradients are averaged over the ranks of a group, weighted by
 * their batch sizes, and then applied by the inner optimizer. Ranks that start with the same
 * weights (see `broadcastWeights`) keep the same weights, bit by bit, and get those that one rank
 * would get with all their batches in one.
 *
 * With `model.compile` and `model.fit`, `model.fitDataset` or `model.trainOnBatch` nothing else is
 * needed:
 *
 * - Batch sizes are taken from the batches.
 * - Ranks may have different numbers of batches. One that has used up its own takes part in the
 *   steps of the others until all are done, so no rank waits in vain, and every sample counts once.
 * - The logs at the end of an epoch, and so the history, are averages over the samples of all
 *   ranks. Those of a batch are the rank's own. Validation is weighted by each rank's samples, or
 *   all ranks alike if the samples are in a data set.
 * - If `model.stopTraining` is set on one rank, it leaves its remaining batches of the epoch out,
 *   and at the end of the epoch all ranks stop.
 * - What layers gather by themselves, as batch normalization gathers its moving statistics, stays
 *   each rank's own; `broadcastWeights` after training makes it the same everywhere.
 * - The ranks must train the same number of epochs, with the same metrics.
 *
 * In loops of your own with `optimizer.minimize` set {@link batchSize} before each step if batches
 * differ, and call {@link finishEpoch} if their number does.
 *
 * Settings, such as the learning rate, belong to the inner optimizer and may be changed there at
 * any time, on all ranks. A saved model names the inner optimizer; wrap it anew after loading.
 *
 * The gradients are summed in the group's shared memory, in a buffer that is allocated in the first
 * step and holds all of them, or, where it does not fit, at most 25 MiB at a time. A group of one
 * rank copies nothing.
 *
 * @example
 * ```ts
 * import { broadcastWeights, DistributedOptimizer, shard, useWasmBackend } from "@mlsl/tfjs";
 * import { ones, train } from "@tensorflow/tfjs-core";
 * import { layers, sequential } from "@tensorflow/tfjs-layers";
 * import { init } from "mlsl";
 *
 * const { world } = await init();
 * await useWasmBackend();
 * const model = sequential({ layers: [layers.dense({ units: 1, inputShape: [2] })] });
 * await broadcastWeights(model, world);
 * const optimizer = new DistributedOptimizer(train.momentum(0.01, 0.9), world);
 * model.compile({ optimizer, loss: "meanSquaredError" });
 * const [points, values] = [ones([8, 2]), ones([8, 1])];
 * await model.fit(shard(points, world), shard(values, world), { batchSize: 4, verbose: 0 });
 * ```
 */
export class DistributedOptimizer extends Optimizer {
  /** The optimizer that applies the averaged gradients; freed by {@link dispose}. */
  readonly inner: Optimizer;
  /** The ranks whose gradients are averaged. */
  readonly group: Group;
  readonly #averager: GradientAverager;
  #batchSize = 1;

  /**
   * @param inner any optimizer, of the same kind and settings on all ranks; it belongs to the new
   *   one from now on
   * @throws {TypeError} If `inner` is not an optimizer, or is a distributed one.
   */
  constructor(inner: Optimizer, group: Group) {
    super();
    if (typeof inner?.applyGradients !== "function") {
      throw new TypeError(
        `Cannot distribute the optimizer: expected one made by tf.train, got ${String(inner)}`,
      );
    }
    if (inner instanceof DistributedOptimizer) {
      throw new TypeError("Cannot distribute the optimizer: it is already distributed");
    }
    // An update costs the same for every batch size: what it costs limits what ranks can gain.
    this.inner = fuseUpdates(inner);
    this.group = group;
    this.#averager = new GradientAverager(group);
    installTrainingLoops();
    addParticipant(this, {
      group,
      withBatch: (batchSize, step) => this.#withBatch(batchSize, step),
      finishEpoch: (variables) => this.finishEpoch(variables),
    });
  }

  /** For tfjs everything with the methods of an optimizer is an instance of all kinds of them. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && #averager in value;
  }

  /**
   * Samples in this rank's next batches: the weight of its gradients. Training loops of a model
   * set it by themselves.
   *
   * @default 1, which gives all ranks the same weight
   */
  get batchSize(): number {
    return this.#batchSize;
  }

  /** @throws {RangeError} If it is not an integer from 0 to 2^24. */
  set batchSize(batchSize: number) {
    if (!Number.isInteger(batchSize) || batchSize < 0 || batchSize > MAX_BATCH_SIZE) {
      throw new RangeError(
        `Cannot set batchSize: expected an integer from 0 to ${MAX_BATCH_SIZE}, got ${batchSize}`,
      );
    }
    this.#batchSize = batchSize;
  }

  /**
   * Averages the gradients over the ranks and applies the average. A collective operation, which
   * blocks this thread until all ranks have come.
   *
   * @param gradients belong to the caller, but hold the average afterwards where the backend lets
   *   them be written
   * @throws {Error} On every rank, and nothing is applied, if the ranks have different parameters,
   *   or some have a gradient for a parameter and others do not; the error names it.
   */
  override applyGradients(gradients: NamedTensorMap | NamedTensor[]): void {
    if (this.group.ranks === 1) {
      this.inner.applyGradients(gradients);
      return;
    }
    this.#apply(this.#averager.average(toGradients(gradients), this.#batchSize));
  }

  /**
   * This rank has no more batches, others may have: takes part in their steps, applies the same
   * updates, and returns when no rank has any left. A collective operation; in an epoch in which
   * one rank calls it, all ranks must. Training loops of a model call it by themselves.
   *
   * @param variables what is being trained, in the order given to `minimize`; needed only on a rank
   *   that has not made a step yet
   * @default all trainable variables
   */
  finishEpoch(variables: readonly Variable[] = trainableVariables()): void {
    if (this.group.ranks === 1) return;
    for (;;) {
      const parameters = this.#averager.parameters ?? variables.map(toParameter);
      const average = this.#averager.average(parameters, undefined);
      this.#apply(average);
      if (!average.isActive) return;
    }
  }

  /** Frees the inner optimizer's variables and the buffer in shared memory. */
  override dispose(): void {
    this.inner.dispose();
    this.#averager.dispose();
  }

  /** Steps that the inner optimizer has made. */
  override get iterations(): number {
    return this.inner.iterations;
  }

  /** The inner optimizer's number of steps as a new tensor, which belongs to the caller. */
  override saveIterations(): Promise<NamedTensor> {
    return this.inner.saveIterations();
  }

  /** The inner optimizer's state, the same on all ranks. */
  override getWeights(): Promise<NamedTensor[]> {
    return this.inner.getWeights();
  }

  /** Replaces the inner optimizer's state; to be done on all ranks. */
  override setWeights(weights: NamedTensor[]): Promise<void> {
    return this.inner.setWeights(weights);
  }

  /** That of the inner optimizer, so that a saved model can be loaded anywhere. */
  override getClassName(): string {
    return this.inner.getClassName();
  }

  override getConfig(): serialization.ConfigDict {
    return this.inner.getConfig();
  }

  #apply({ isActive, gradients, made }: Average): void {
    try {
      // As in tfjs's own loops, parameters without a gradient are there, but without a tensor.
      if (isActive) this.inner.applyGradients([...gradients] as NamedTensor[]);
    } finally {
      for (const tensor of made) tensor.dispose();
    }
  }

  #withBatch<T>(batchSize: number, step: () => T): T {
    const previous = this.#batchSize;
    this.batchSize = batchSize;
    try {
      return step();
    } finally {
      this.#batchSize = previous;
    }
  }
}

function toGradients(gradients: NamedTensorMap | NamedTensor[]): Gradient[] {
  if (!Array.isArray(gradients)) {
    return Object.entries(gradients).map(([name, tensor]) => ({
      name,
      shape: tensor.shape,
      tensor,
    }));
  }
  return gradients.map(({ name, tensor }: { name: string; tensor?: NamedTensor["tensor"] }) => {
    const variable = tensor ?? engine().registeredVariables[name];
    if (!variable) {
      throw new RangeError(
        `Cannot average the gradient of "${name}": expected a gradient or a variable of that name`,
      );
    }
    return { name, shape: variable.shape, tensor };
  });
}

function toParameter({ name, shape }: Variable): Gradient {
  return { name, shape };
}

function trainableVariables(): Variable[] {
  return Object.values(engine().registeredVariables).filter(({ trainable }) => trainable);
}
