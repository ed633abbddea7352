/**
 * Trains a net on handwritten digits, on as many ranks as there are:
 *
 *     node examples/dist/mnist/train.js
 *     npx mlsl run -n 2 examples/dist/mnist/train.js --net mlp
 *
 * An ordinary program for TensorFlow.js but for four things: `init`, `broadcastWeights`,
 * `DistributedOptimizer` and `shard`.
 */

import { broadcastWeights, DistributedOptimizer, shard, useWasmBackend } from "@mlsl/tfjs";
import { dispose, train } from "@tensorflow/tfjs-core";
import type { Sequential } from "@tensorflow/tfjs-layers";
import { Command } from "commander";
import { type Group, init } from "mlsl";
import { type Digits, loadDigits, splitDigits } from "./digits.js";
import { epochDigits } from "./epochDigits.js";
import { EpochRecorder } from "./epochRecorder.js";
import type { EpochEvent } from "./events.js";
import { isSameOnAllRanks, weightsHash } from "./fingerprint.js";
import { NETS } from "./nets.js";
import { createReporter, type Report } from "./report.js";
import { toTensors } from "./tensors.js";
import { testAccuracy } from "./testAccuracy.js";
import {
  addTrainingOptions,
  batchSizePerRank,
  TEST_DIGITS,
  type TrainingOptions,
  toTrainingOptions,
} from "./trainingOptions.js";
import { Turns } from "./turns.js";

/** Share of the last steps' gradients in an update; Caffe's for LeNet. */
const MOMENTUM = 0.9;

/** Everything that stays the same from epoch to epoch. */
interface Training {
  readonly model: Sequential;
  readonly digits: Digits;
  readonly options: TrainingOptions;
  readonly world: Group;
  readonly report: Report;
}

const command = addTrainingOptions(new Command("train"))
  .description("train a net on handwritten digits")
  .option("--events", "tell what happens in lines for a program")
  .option("--turns", "begin each epoch, and the test, when a line comes in")
  .parse();
const { world } = await init();
const turns = new Turns(world, command.opts().turns === true);
await run(toTrainingOptions(command.opts()), createReporter(command.opts().events === true));
turns.close();

async function run(options: TrainingOptions, reporter: Report): Promise<void> {
  const report: Report = world.rank === 0 ? reporter : () => {};
  await useWasmBackend();
  const { batchSize, learningRate, inputShape, create } = NETS[options.net];
  const digits = splitDigits(loadDigits(), {
    trainCount: options.limit,
    testCount: TEST_DIGITS,
    seed: options.seed,
  });
  const model = create(options.seed);
  await broadcastWeights(model, world);
  const inner = train.momentum(learningRate, MOMENTUM);
  const optimizer = new DistributedOptimizer(inner, world);
  model.compile({ optimizer, loss: "categoricalCrossentropy" });
  report({
    kind: "start",
    net: options.net,
    ranks: world.ranks,
    epochs: options.epochs,
    stepsPerEpoch: options.limit / batchSize,
    images: options.limit,
    testImages: TEST_DIGITS,
    batchSize,
  });
  const training = { model, digits: digits.train, options, world, report };
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    await turns.next();
    inner.setLearningRate(learningRate * (1 - epoch / options.epochs));
    report(await trainEpoch(training, epoch));
  }
  await turns.next();
  const hash = weightsHash(model);
  const bitEqual = await isSameOnAllRanks(hash, world);
  const accuracy = testAccuracy(model, digits.test, inputShape);
  report({ kind: "done", testAccuracy: accuracy, bitEqual, weightsHash: hash });
}

async function trainEpoch(training: Training, epoch: number): Promise<EpochEvent> {
  const { model, digits, options, world, report } = training;
  const { inputShape, batchSize } = NETS[options.net];
  const all = toTensors(epochDigits(digits, { epoch, seed: options.seed }), inputShape);
  const [images, labels] = [shard(all.images, world), shard(all.labels, world)];
  const recorder = new EpochRecorder(options.limit / batchSize);
  const onBatchEnd = async (_batch: number, logs?: Parameters<EpochRecorder["add"]>[0]) => {
    const loss = recorder.add(logs);
    report({ kind: "step", epoch, step: recorder.steps, loss });
  };
  // The ranks begin together: what they needed to prepare their digits is not communication.
  await world.barrier();
  const waitedMs = world.statistics.exposedMs;
  const startedMs = performance.now();
  await model.fit(images, labels, {
    batchSize: batchSizePerRank(options.net, world.ranks),
    epochs: 1,
    shuffle: false,
    verbose: 0,
    callbacks: { onBatchEnd },
  });
  const own = Float64Array.of(
    performance.now() - startedMs,
    (world.statistics.exposedMs - waitedMs) / recorder.steps,
    recorder.fastestMs,
  );
  dispose([all.images, all.labels, images, labels]);
  const [slowest, sum] = [new Float64Array(3), new Float64Array(3)];
  await world.allreduce(own, slowest, { op: "max" });
  await world.allreduce(own, sum);
  return {
    kind: "epoch",
    epoch,
    ms: slowest[0] as number,
    fastestStepMs: slowest[2] as number,
    exposedMsPerStep: (sum[1] as number) / world.ranks,
    losses: await recorder.average(world),
  };
}
