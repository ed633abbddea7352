/**
 * What the training loops of tfjs-layers need to know of ranks.
 *
 * `LayersModel` has no place to hook into: an optimizer never learns how large a batch was, nor
 * when an epoch ends. So three of its methods are replaced, once, by versions that do the same and
 * a little more for models whose optimizer takes part in a group, and nothing more for all others:
 *
 * - `makeTrainFunction` – behind `fit`, `fitDataset` and `trainOnBatch` – tells the optimizer the
 *   size of each batch;
 * - `fitLoop` – behind `fit` – and `fitDataset` end every epoch together, see {@link EpochSync}.
 *
 * The methods are those of tfjs-layers 4.22, the only version that the package accepts.
 */

import { type Optimizer, Tensor, type Variable } from "@tensorflow/tfjs-core";
import { Callback, CustomCallback, type History, LayersModel } from "@tensorflow/tfjs-layers";
import { type BaseCallback, EpochSync, type TrainFunction } from "./epochSync.js";
import { participantOf } from "./participant.js";

/** Arguments of `fitLoop`, as far as they are named here. */
type FitLoopArguments = [
  train: TrainFunction,
  data: Tensor[],
  labels: string[],
  batchSize: number,
  epochs: number,
  verbose: number,
  callbacks: BaseCallback[],
  validate: unknown,
  validationData: Tensor[] | undefined,
  ...rest: unknown[],
];

/** A data set as `fitDataset` uses it. */
interface DatasetLike {
  iterator(): Promise<{ next(): Promise<IteratorOutput> }>;
}

interface IteratorOutput {
  readonly value: unknown;
  readonly done: boolean;
}

type CustomCallbackConfig = ConstructorParameters<typeof CustomCallback>[0];

/** What is used of the arguments of `fitDataset`. */
interface FitDatasetArguments {
  readonly batchesPerEpoch?: number;
  readonly callbacks?: unknown;
  readonly yieldEvery?: ConstructorParameters<typeof CustomCallback>[1];
  readonly validationData?: unknown;
}

/** The methods that are replaced, and what these use. */
interface ModelInternals {
  readonly optimizer: Optimizer;
  /** Named by `compile`: what the train function trains, whatever `trainable` says since. */
  readonly collectedTrainableWeights: readonly { read(): Variable }[];
  makeTrainFunction(): TrainFunction;
  fitLoop(...args: FitLoopArguments): Promise<History>;
  fitDataset(dataset: DatasetLike, args: FitDatasetArguments): Promise<History>;
}

/** Models in `fitDataset`, which makes its train function out of our reach. */
const datasetLoops = new WeakMap<ModelInternals, EpochSync>();

let isInstalled = false;

/** Replaces the methods, the first time. */
export function installTrainingLoops(): void {
  if (isInstalled) return;
  isInstalled = true;
  // Private and protected methods are out of reach for the type system alone.
  const prototype = LayersModel.prototype as unknown as ModelInternals;
  replaceMakeTrainFunction(prototype);
  replaceFitLoop(prototype);
  replaceFitDataset(prototype);
}

function replaceMakeTrainFunction(prototype: ModelInternals): void {
  const original = prototype.makeTrainFunction;
  prototype.makeTrainFunction = function (this: ModelInternals) {
    const train = original.call(this);
    const participant = participantOf(this.optimizer);
    if (!participant) return train;
    const step: TrainFunction = (data) =>
      participant.withBatch(data[0]?.shape[0] ?? 0, () => train(data));
    return datasetLoops.get(this)?.wrap(step) ?? step;
  };
}

function replaceFitLoop(prototype: ModelInternals): void {
  const original = prototype.fitLoop;
  prototype.fitLoop = function (this: ModelInternals, ...args: FitLoopArguments) {
    const participant = participantOf(this.optimizer);
    if (!participant) return original.apply(this, args);
    const [train, data, labels, batchSize, epochs, verbose, callbacks, ...rest] = args;
    const sync = new EpochSync(participant, {
      variables: variablesOf(this),
      stepsPerEpoch: Math.ceil(sampleCount(data) / batchSize),
      validationSamples: sampleCount(rest[1]),
    });
    const [step, around] = [sync.wrap(train), sync.around(callbacks)];
    return original.call(this, step, data, labels, batchSize, epochs, verbose, around, ...rest);
  };
}

function replaceFitDataset(prototype: ModelInternals): void {
  const original = prototype.fitDataset;
  prototype.fitDataset = async function (this: ModelInternals, dataset, args) {
    const participant = participantOf(this.optimizer);
    // Without arguments the original has an error to give.
    if (!participant || !args) return original.call(this, dataset, args);
    const sync = new EpochSync(participant, {
      variables: variablesOf(this),
      stepsPerEpoch: args.batchesPerEpoch,
      validationSamples: sampleCount(args.validationData) || 1,
    });
    const callbacks = sync.around(toCallbacks(args.callbacks, args.yieldEvery));
    datasetLoops.set(this, sync);
    try {
      return await original.call(this, withEnd(dataset, sync), { ...args, callbacks });
    } finally {
      datasetLoops.delete(this);
    }
  };
}

/** The data set, which tells when it has no more batches: validation comes right after. */
function withEnd(dataset: DatasetLike, sync: EpochSync): DatasetLike {
  const wrapped: DatasetLike = Object.create(dataset);
  wrapped.iterator = async () => {
    const iterator = await dataset.iterator();
    const next = async (): Promise<IteratorOutput> => {
      const output = await iterator.next();
      if (output.done && output.value == null) sync.finish();
      return output;
    };
    return { next };
  };
  return wrapped;
}

function variablesOf(model: ModelInternals): Variable[] {
  return model.collectedTrainableWeights.map((weight) => weight.read());
}

/** Samples of the first tensor of data given as `fit` and `fitDataset` take it; 0 if unknown. */
function sampleCount(data: unknown): number {
  if (data instanceof Tensor) return data.shape[0] ?? 0;
  if (Array.isArray(data)) return sampleCount(data[0]);
  if (typeof data !== "object" || data === null || "iterator" in data) return 0;
  return sampleCount(Object.values(data)[0]);
}

/** Callbacks as tfjs-layers understands what users give. */
function toCallbacks(
  given: unknown,
  yieldEvery: FitDatasetArguments["yieldEvery"],
): BaseCallback[] {
  const BaseCallback = Object.getPrototypeOf(Callback);
  const list: unknown[] = Array.isArray(given) ? given : [given ?? {}];
  if (list[0] instanceof BaseCallback) return list as BaseCallback[];
  return list.map((config) => new CustomCallback(config as CustomCallbackConfig, yieldEvery));
}
