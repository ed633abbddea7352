/** `mlsl simulate training`: the published experiment on the first layer, on simulated nodes. */

import { writeFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Charts, loadCharts } from "../bench/plot.js";
import { ORDER_MODES, type OrderMode } from "../engine/order.js";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { MAX_TWO_LEVEL_RANKS } from "../schedules/transport/twoLevel.js";
import { ALLREDUCE_NAMES, type AllreduceName } from "../simulation/training/allreduce.js";
import {
  batchesFor,
  ETHERNET_10,
  EXPERIMENT_CHUNK_BYTES,
  type ExperimentSetting,
  runCase,
  type TrainingLine,
} from "../simulation/training/experiment.js";
import { fuseMessages } from "../simulation/training/fuseMessages.js";
import { findNet, NETS } from "../simulation/training/nets.js";
import { trainingHeader, trainingRow } from "../simulation/training/table.js";
import { checkOutput } from "./benchOutput.js";
import { namesParser, parseRankCounts, parseSize } from "./benchValues.js";
import { parseCount } from "./numbers.js";
import { drawTraining } from "./trainingChart.js";

const US_PER_MS = 1000;

interface TrainingOptions {
  readonly net: readonly string[];
  readonly nodes: readonly number[];
  readonly batch?: readonly number[];
  readonly mode: readonly OrderMode[];
  readonly bandwidth: number;
  readonly latency: number;
  readonly overhead: number;
  readonly chunk: number;
  readonly algorithm?: AllreduceName[];
  readonly warmUp: number;
  readonly iterations: number;
  readonly skew: number;
  readonly seed: number;
  readonly fuse?: number;
  readonly json?: true;
  readonly svg?: string;
}

/** A parser of numbers from `least` on. */
function parseFrom(least: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= least && Number.isFinite(value)) return value;
    throw new InvalidArgumentError(`Expected a number of at least ${least}, got "${text}".`);
  };
}

/** The least bandwidth: anything slower is a mistake, and takes for ever. */
const MIN_BANDWIDTH = 0.001;

function trainingOptions(): Option[] {
  const option = (flags: string, text: string): Option => new Option(flags, text);
  const nets = NETS.map(({ name }) => name);
  return [
    option("--net <names>", `which of ${nets.join(", ")}`)
      .argParser(namesParser(nets))
      .default(nets, "all"),
    option("--nodes <counts>", "how many nodes; several are run one after the other")
      .argParser(parseRankCounts)
      .default([16, 64], "16,64"),
    option(
      "--batch <counts>",
      "samples of a node (default: 64, and where that hides all communication the largest power " +
        "of two that does not)",
    ).argParser(parseRankCounts),
    option("--mode <names>", `orders of messages: which of ${ORDER_MODES.join(", ")}`)
      .argParser(namesParser(ORDER_MODES))
      .default(["fifo", "lifo", "priority"], "all"),
    option("--bandwidth <GB/s>", "of a node's port, each way")
      .argParser(parseFrom(MIN_BANDWIDTH))
      .default(ETHERNET_10.bandwidthGBps),
    option("--latency <us>", "from a node to another")
      .argParser(parseFrom(0))
      .default(ETHERNET_10.latencyMs * US_PER_MS),
    option("--overhead <us>", "time of a processor that a frame costs")
      .argParser(parseFrom(0))
      .default(ETHERNET_10.overheadMs * US_PER_MS),
    option("--chunk <bytes>", "what messages are cut into")
      .argParser(parseSize)
      .default(EXPERIMENT_CHUNK_BYTES),
    option(
      "--fuse <bytes>",
      "collect gradients until they have so many bytes, and send them as one message",
    ).argParser(parseSize),
    option(
      "--algorithm <names>",
      `all-reduces to choose from: ${ALLREDUCE_NAMES.join(", ")}`,
    ).argParser(namesParser(ALLREDUCE_NAMES)),
    option("--warm-up <count>", "iterations that are not measured")
      .argParser(parseFrom(0))
      .default(2),
    option("--iterations <count>", "iterations that are measured").argParser(parseCount).default(1),
    option("--skew <share>", "nodes compute up to so much longer, by chance")
      .argParser(parseFrom(0))
      .default(0),
    option("--seed <number>", "decides about that chance").argParser(parseFrom(0)).default(1),
  ];
}

/** Adds the command to `mlsl simulate`. */
export function addSimulateTrainingCommand(simulate: Command): void {
  const command = simulate
    .command("training")
    .description("train nets on simulated nodes: what waits for communication, in which order");
  for (const option of trainingOptions()) command.addOption(option);
  command
    .option("--json", "a line of JSON for each result")
    .option("--svg <file.svg>", "also draw them; needs echarts")
    .action(simulateTraining);
}

function settingOf(options: TrainingOptions): ExperimentSetting {
  const { bandwidth, latency, overhead, chunk, algorithm, warmUp, iterations } = options;
  return {
    bandwidthGBps: bandwidth,
    latencyMs: latency / US_PER_MS,
    overheadMs: overhead / US_PER_MS,
    chunkBytes: chunk,
    ...{ warmUp, measured: iterations, skew: options.skew, seed: options.seed },
    ...(algorithm !== undefined && { algorithms: algorithm }),
  };
}

async function simulateTraining(options: TrainingOptions): Promise<void> {
  const { svg, nodes, json } = options;
  for (const count of nodes) {
    if (count >= 2 && count <= MAX_TWO_LEVEL_RANKS) continue;
    throw new LaunchRefusedError(
      `Cannot simulate ${count} nodes: expected 2 to ${MAX_TWO_LEVEL_RANKS}`,
    );
  }
  let charts: Charts | undefined;
  if (svg !== undefined) {
    checkOutput("a chart", svg);
    charts = await loadCharts();
  }
  if (json !== true) console.log(trainingHeader());
  const lines: TrainingLine[] = [];
  for (const line of results(options)) {
    lines.push(line);
    console.log(json === true ? JSON.stringify(line) : trainingRow(line));
  }
  if (charts !== undefined) writeFileSync(svg!, drawTraining(charts, lines));
}

/** Runs all cases, fifo first: others are compared with it. */
function* results(options: TrainingOptions): Generator<TrainingLine> {
  const { bandwidth } = options;
  const setting = settingOf(options);
  const modes = ORDER_MODES.toReversed().filter((mode) => options.mode.includes(mode));
  const { fuse } = options;
  for (const found of options.net.map(findNet)) {
    const net = fuse === undefined ? found : fuseMessages(found, fuse);
    for (const nodes of options.nodes) {
      for (const batch of options.batch ?? batchesFor(net, nodes, bandwidth)) {
        let fifo: TrainingLine | undefined;
        for (const mode of modes) {
          const line = runCase({ net, nodes, batch, mode }, setting, fifo);
          if (mode === "fifo") fifo = line;
          yield line;
        }
      }
    }
  }
}
