/** `mlsl bench`: latency and bandwidth of the collectives between ranks of this machine. */

import { fileURLToPath } from "node:url";
import { type Command, Option } from "commander";
import { BENCH_OPS, type BenchOp } from "../bench/ops.js";
import { loadCharts } from "../bench/plot.js";
import {
  type BenchTask,
  type BuiltInOperator,
  benchPoints,
  largestBuffers,
  OPERATORS,
} from "../bench/points.js";
import { readAllowedCores, workersFor } from "../launcher/cores.js";
import { launch } from "../launcher/launch.js";
import { checkedSegmentBytes, checkRanks, LaunchRefusedError } from "../launcher/launchOptions.js";
import { DATA_TYPES, type DataType } from "../memory/dataTypes.js";
import type { WorkerFigures } from "../schedules/choice/choiceTable.js";
import { BenchOutput, checkOutput } from "./benchOutput.js";
import {
  namesParser,
  parseAlgorithms,
  parseRankCounts,
  parseSize,
  parseSizes,
  parseStep,
  sizesBetween,
} from "./benchValues.js";
import { parseCount } from "./numbers.js";
import { progressWorkersOption } from "./progressOptions.js";
import { tuneWorkers } from "./tuneWorkers.js";

const MIB = 1048576;

/** Room beside the buffers: staging blocks and the timings. */
const SPARE_BYTES = 8 * MIB;

/** Data type names, as help lists them. */
const TYPE_NAMES: readonly DataType[] = DATA_TYPES.map(({ name }) => name);

interface BenchCommandOptions {
  readonly ranks: readonly number[];
  readonly ops: readonly BenchOp[];
  readonly types: readonly DataType[];
  readonly reduce: readonly BuiltInOperator[];
  readonly algorithms?: readonly string[] | "all";
  readonly sizes?: readonly number[];
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly budgetMs: number;
  readonly outside?: true;
  readonly inPlace?: true;
  readonly outOfPlace?: true;
  readonly persistent?: true;
  readonly threads?: true;
  readonly progressWorkers: number | "auto";
  readonly json?: true;
  readonly csv?: string;
  readonly plot?: string;
  readonly tune?: string;
}

function whatOptions(): Option[] {
  const option = (flags: string, text: string): Option => new Option(flags, text);
  return [
    option("-n, --ranks <counts>", "how many ranks; several are measured one after the other")
      .argParser(parseRankCounts)
      .default([2], "2"),
    option("--ops <names>", `which of ${BENCH_OPS.join(", ")}`)
      .argParser(namesParser(BENCH_OPS))
      .default(BENCH_OPS, "all"),
    option("--types <names>", `which of ${TYPE_NAMES.join(", ")}`)
      .argParser(namesParser(TYPE_NAMES))
      .default(["float32"], "float32"),
    option("--reduce <operators>", `which of ${OPERATORS.join(", ")}`)
      .argParser(namesParser(OPERATORS))
      .default(["sum"], "sum"),
    option(
      "--algorithms <names>",
      "names like direct,ring, or all (default: as a program gets it)",
    ).argParser(parseAlgorithms),
    option("--sizes <list>", "sizes like 4,64K,1M, instead of --min, --max and --step")
      .argParser(parseSizes)
      .conflicts(["min", "max", "step"]),
    option("--min <bytes>", "smallest size").argParser(parseSize).default(4),
    option("--max <bytes>", "largest size")
      .argParser(parseSize)
      .default(64 * MIB, "64M"),
    option("--step <factor>", "from one size to the next").argParser(parseStep).default(4),
    option("--budget-ms <ms>", "time of the timed calls of one size")
      .argParser(parseCount)
      .default(300),
  ];
}

/** Adds the command to the program. */
export function addBenchCommand(program: Command): void {
  const command = program
    .command("bench")
    .description("measure collectives between ranks of this machine; every result is checked");
  for (const option of whatOptions()) command.addOption(option);
  command
    .option("--outside", "buffers outside the shared segment: they are staged by chunk")
    .addOption(
      new Option(
        "--in-place",
        "one buffer is part of the other (default: allreduce only)",
      ).conflicts("outOfPlace"),
    )
    .option("--out-of-place", "separate buffers, also for allreduce")
    .option("--persistent", "operations are built once and started again and again")
    .option("--threads", "make ranks threads of one process instead of processes")
    .addOption(progressWorkersOption())
    .addOption(new Option("--json", "a line of JSON for each result").conflicts("csv"))
    .option("--csv <file>", "also write the results as CSV; - for the terminal, without the table")
    .option("--plot <file.svg>", "also draw them; needs echarts")
    .addOption(
      new Option(
        "--tune <file.json>",
        "save the fastest algorithms, and what progress workers cost, for jobs to load",
      ),
    )
    .action(async (options: BenchCommandOptions) => {
      process.exitCode = await bench(options);
    });
}

function sizesOf({ sizes, min, max, step }: BenchCommandOptions): readonly number[] {
  if (sizes !== undefined) return sizes;
  if (min <= max) return sizesBetween(min, max, step);
  throw new LaunchRefusedError(
    `Cannot measure sizes from ${min} to ${max} bytes: --min must not exceed --max`,
  );
}

function taskOf(options: BenchCommandOptions): BenchTask {
  const { ops, types, reduce, tune, budgetMs } = options;
  if (tune !== undefined && (types.length > 1 || reduce.length > 1)) {
    throw new LaunchRefusedError(
      "Cannot tune: a table holds for all types and operators, so one of each is expected, " +
        `got ${types.join(", ")} and ${reduce.join(", ")}`,
    );
  }
  const algorithms = options.algorithms ?? (tune === undefined ? undefined : "all");
  const isOnePlace = options.inPlace ?? (options.outOfPlace === true ? false : undefined);
  return {
    ...{ ops, types, operators: reduce, sizes: sizesOf(options), budgetMs },
    ...(algorithms !== undefined && { algorithms }),
    inside: options.outside !== true,
    ...(isOnePlace !== undefined && { inPlace: isOnePlace }),
    persistent: options.persistent === true,
  };
}

function arenaBytesFor(task: BenchTask, ranks: number, asked: number | "auto"): number {
  // Progress workers take blocks from outside the segment through it whole.
  const isThrough = workersFor(asked, readAllowedCores().length, ranks) > 0;
  const passing = isThrough ? { ...task, inside: true, inPlace: false } : task;
  return Math.ceil(largestBuffers(passing, ranks)) + SPARE_BYTES;
}

/** All that can be found wrong is found before the first rank starts. */
function checkTask(task: BenchTask, { ranks, plot, progressWorkers }: BenchCommandOptions): void {
  for (const count of ranks) {
    checkRanks(count);
    const points = benchPoints(task, count);
    checkedSegmentBytes(count, arenaBytesFor(task, count, progressWorkers));
    if (plot !== undefined && points.every(({ bytes }) => bytes === 0)) {
      throw new LaunchRefusedError("Cannot draw a plot: an operation that has sizes is expected");
    }
  }
}

async function outputOf(options: BenchCommandOptions): Promise<BenchOutput> {
  const { csv, plot, tune, types, algorithms } = options;
  if (csv !== undefined && csv !== "-") checkOutput("CSV", csv);
  if (plot !== undefined) checkOutput("a plot", plot);
  if (tune !== undefined) checkOutput("a table", tune);
  const outputs = {
    types: types.length > 1 || types[0] !== "float32",
    algorithms: algorithms !== undefined || tune !== undefined,
    ...{ json: options.json === true, csv, tune },
    plot: plot === undefined ? undefined : { path: plot, charts: await loadCharts() },
  };
  return new BenchOutput(outputs, (text) => console.log(text));
}

const SCRIPT = fileURLToPath(new URL("../bench/rankMain.js", import.meta.url));

/** What a table says of progress workers, if it is for jobs that have any. */
async function workersOf(options: BenchCommandOptions): Promise<WorkerFigures | undefined> {
  const { tune, budgetMs, progressWorkers } = options;
  const workers = workersFor(progressWorkers, readAllowedCores().length, 2);
  if (tune === undefined || workers === 0) return undefined;
  return await tuneWorkers({ script: SCRIPT, progressWorkers, budgetMs });
}

async function bench(options: BenchCommandOptions): Promise<number> {
  const task = taskOf(options);
  checkTask(task, options);
  const output = await outputOf(options);
  for (const ranks of options.ranks) {
    const { exitCode } = await launch({
      script: SCRIPT,
      args: [JSON.stringify(task)],
      ranks,
      arenaBytes: arenaBytesFor(task, ranks, options.progressWorkers),
      progressWorkers: options.progressWorkers,
      onLine: ({ stream, text }) => {
        if (stream === "stderr") console.error(text);
        else output.add(text);
      },
      onMessage: (text) => console.error(`mlsl: ${text}`),
      ...(options.threads === true ? { form: "threads" as const } : {}),
    });
    if (exitCode !== 0) {
      output.writeCsv();
      return exitCode;
    }
  }
  output.finish(await workersOf(options));
  return 0;
}
