/** What the demo can be told on the command line. */

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import {
  addTrainingOptions,
  batchSizePerRank,
  type TrainingOptions,
  toTrainingOptions,
} from "../mnist/trainingOptions.js";

/** Numbers of ranks to compare, the smaller one first. */
export type RankPair = readonly [few: number, many: number];

/** What to compare, and how to show it. */
export interface DemoOptions {
  readonly training: TrainingOptions;
  readonly ranks: RankPair;
  /** Ranks are threads of the demo rather than processes. */
  readonly threads: boolean;
  /** A line of JSON at the end. */
  readonly json: boolean;
  /** Path of the file for the loss curves. */
  readonly svg: string;
}

/** Ranks that one machine can hold; batches are dealt among fewer anyway. */
const MAX_RANKS = 64;

/**
 * Reads the command line.
 *
 * @param argv as `process.argv`
 * @throws {CommanderError} If it asks for help, or for what cannot be; commander has said so then.
 */
export function parseDemoOptions(argv: readonly string[]): DemoOptions {
  const command = new Command("demo")
    .description(
      "Trains a net on handwritten digits with 1 rank, then with 2, and compares speed and result.",
    )
    .option("--ranks <count>", "compare 1 rank with so many, or two numbers: 2,4", toPair, [1, 2])
    .option("--threads", "make ranks threads instead of processes");
  addTrainingOptions(command)
    .option("--svg <file>", "where to draw the loss curves", "demo-loss.svg")
    .option("--json", "end with one line of JSON")
    .allowExcessArguments(false)
    .exitOverride();
  command.parse([...argv]);
  const parsed = command.opts();
  try {
    const training = toTrainingOptions(parsed);
    const ranks = parsed.ranks as RankPair;
    for (const count of ranks) batchSizePerRank(training.net, count);
    const svg = toWritablePath(parsed.svg as string);
    return { training, ranks, threads: "threads" in parsed, json: "json" in parsed, svg };
  } catch (error) {
    return command.error(`error: ${error instanceof Error ? error.message : error}`);
  }
}

function toPair(text: string): RankPair {
  const counts = text.split(",").map((part) => (/^\d+$/.test(part) ? Number(part) : Number.NaN));
  const [few, many] = counts.length === 1 ? [1, ...counts] : counts;
  const isPair = few !== undefined && many !== undefined && counts.length <= 2;
  if (isPair && few >= 1 && few < many && many <= MAX_RANKS) return [few, many];
  throw new InvalidArgumentError(
    `Expected a number from 2 to ${MAX_RANKS}, or two, the smaller one first: 1,2.`,
  );
}

function toWritablePath(file: string): string {
  const path = resolve(file);
  const folder = statSync(dirname(path), { throwIfNoEntry: false });
  if (folder?.isDirectory() && !statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return path;
  }
  throw new RangeError(
    `Cannot draw into "${file}": expected the name of a file in a folder that exists`,
  );
}
