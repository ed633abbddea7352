/** `mlsl bench`: latency and bandwidth of the collectives between ranks of this machine. */

import { fileURLToPath } from "node:url";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { BenchLine, BenchOptions } from "../bench/rankMain.js";
import { renderHeader, renderLine } from "../bench/table.js";
import { BENCH_OPS, type BenchOp } from "../bench/workload.js";
import { launch } from "../launcher/launch.js";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { parseCount } from "./numbers.js";

const MIB = 1048576;

/** Room beside the buffers: staging blocks and the timings. */
const SPARE_BYTES = 8 * MIB;

/** Buffers of the largest size that a rank holds at once: an all-gather has two. */
const BUFFERS = 2;

interface BenchCommandOptions {
  readonly ranks: number;
  readonly ops: readonly BenchOp[];
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly budgetMs: number;
  readonly outside?: true;
  readonly threads?: true;
  readonly json?: true;
}

function parseOps(text: string): BenchOp[] {
  return text.split(",").map((name) => {
    const op = BENCH_OPS.find((known) => known === name);
    if (op === undefined) {
      throw new InvalidArgumentError(`Expected some of ${BENCH_OPS.join(", ")}, got "${name}".`);
    }
    return op;
  });
}

/** Sizes from min to max, each `step` times the last, cut to whole float32 elements. */
export function benchSizes(min: number, max: number, step: number): number[] {
  const sizes: number[] = [];
  for (let size = min; size <= max; size *= step) sizes.push(Math.ceil(size / 4) * 4);
  return sizes;
}

/** Adds the command to the program. */
export function addBenchCommand(program: Command): void {
  const count = (flags: string, text: string, value: number): Option =>
    new Option(flags, text).argParser(parseCount).default(value);
  program
    .command("bench")
    .description("measure collectives between ranks of this machine; every result is checked")
    .addOption(count("-n, --ranks <count>", "how many ranks", 2))
    .addOption(
      new Option("--ops <names>", `which of ${BENCH_OPS.join(", ")}`)
        .argParser(parseOps)
        .default([...BENCH_OPS], "all"),
    )
    .addOption(count("--min <bytes>", "smallest size", 4))
    .addOption(count("--max <bytes>", "largest size", 64 * MIB))
    .addOption(count("--step <factor>", "from one size to the next", 4))
    .addOption(count("--budget-ms <ms>", "time for one operation and size", 300))
    .option("--outside", "buffers outside the shared segment: they are staged by chunk")
    .option("--threads", "make ranks threads of one process instead of processes")
    .option("--json", "one line of JSON per operation and size")
    .action(async (options: BenchCommandOptions) => {
      process.exitCode = await bench(options);
    });
}

async function bench(options: BenchCommandOptions): Promise<number> {
  if (options.step < 2) {
    throw new LaunchRefusedError(
      `Cannot step by a factor of ${options.step}: at least 2 is expected`,
    );
  }
  const sizes = benchSizes(options.min, options.max, options.step);
  const inside = options.outside !== true;
  const task: BenchOptions = { ops: options.ops, sizes, budgetMs: options.budgetMs, inside };
  if (options.json !== true) console.log(renderHeader());
  const { exitCode } = await launch({
    script: fileURLToPath(new URL("../bench/rankMain.js", import.meta.url)),
    args: [JSON.stringify(task)],
    ranks: options.ranks,
    arenaBytes: (inside ? BUFFERS * options.max : 0) + SPARE_BYTES,
    onLine: ({ stream, text }) => {
      if (stream === "stderr") console.error(text);
      else console.log(options.json === true ? text : renderLine(JSON.parse(text) as BenchLine));
    },
    onMessage: (text) => console.error(`mlsl: ${text}`),
    ...(options.threads === true ? { form: "threads" as const } : {}),
  });
  return exitCode;
}
