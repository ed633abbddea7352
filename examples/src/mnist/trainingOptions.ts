/** What a training can be told on the command line. */

import { type Command, InvalidArgumentError, Option } from "commander";
import { NET_NAMES, NETS, type NetName } from "./nets.js";

/** Digits kept for the test: with 1,808, one standard deviation of 97 % is 0.4 %. */
export const TEST_DIGITS = 1808;

/** The rest of the 10,000: a multiple of every net's batch, so that all steps are alike. */
const TRAINING_DIGITS = 8192;

/** Seeds up to here give every epoch permutations of its own. */
const MAX_SEED = 2 ** 19 - 1;

/** More than anybody waits for. */
const MAX_EPOCHS = 1000;

/** How to train. */
export interface TrainingOptions {
  readonly net: NetName;
  readonly epochs: number;
  readonly seed: number;
  /** Digits to learn from. */
  readonly limit: number;
}

/** Adds the options to a command. */
export function addTrainingOptions(command: Command): Command {
  const epochs = NET_NAMES.map((name) => `${name} ${NETS[name].epochs}`).join(", ");
  return command
    .addOption(new Option("--net <net>", "what to train").choices(NET_NAMES).default("lenet"))
    .option(
      "--epochs <count>",
      `how often each digit is seen (default: ${epochs})`,
      integer(1, MAX_EPOCHS),
    )
    .option("--seed <number>", "of weights and order", integer(0, MAX_SEED), 1)
    .option(
      "--limit <digits>",
      "digits to learn from, whole batches",
      integer(1, TRAINING_DIGITS),
      TRAINING_DIGITS,
    );
}

/**
 * Completes and checks what commander has parsed.
 *
 * @throws {RangeError} If options do not go together.
 */
export function toTrainingOptions(parsed: Record<string, unknown>): TrainingOptions {
  const { net, epochs, seed, limit } = parsed as Partial<TrainingOptions> &
    Omit<TrainingOptions, "epochs">;
  const { batchSize } = NETS[net];
  if (limit % batchSize !== 0) {
    throw new RangeError(
      `Cannot train ${net} on ${limit} digits: expected a multiple of its batch of ${batchSize}; ` +
        `use --limit ${Math.max(1, Math.floor(limit / batchSize)) * batchSize}`,
    );
  }
  return { net, seed, limit, epochs: epochs ?? NETS[net].epochs };
}

/**
 * Digits of each rank's batch.
 *
 * @throws {RangeError} If the net's batch cannot be dealt evenly.
 */
export function batchSizePerRank(net: NetName, ranks: number): number {
  const { batchSize } = NETS[net];
  if (batchSize % ranks !== 0) {
    throw new RangeError(
      `Cannot train ${net} on ${ranks} ranks: expected a divisor of its batch of ${batchSize}`,
    );
  }
  return batchSize / ranks;
}

/** A parser of whole numbers for commander. */
function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}
