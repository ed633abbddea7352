/** `mlsl run`: a script as the ranks of a job, in the terminal. */

import { type Command, Option } from "commander";
import { readAllowedCores } from "../launcher/cores.js";
import { Job } from "../launcher/job.js";
import { DEFAULT_ARENA_BYTES } from "../launcher/launchOptions.js";
import { MAX_LOCAL_RANKS } from "../memory/layout.js";
import { parseCount } from "./numbers.js";
import { progressAffinityOption, progressWorkersOption } from "./progressOptions.js";

const MIB = 1024 * 1024;

/** What a terminal or a supervisor sends to end a program. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** How long the last output of a failed job may take to leave the launcher. */
const LAST_WORDS_MS = 100;

interface RunOptions {
  readonly ranks: number;
  readonly threads?: true;
  readonly segmentMib: number;
  readonly pin: boolean;
  readonly prefix: boolean;
  readonly progressWorkers: number | "auto";
  readonly progressAffinity?: readonly number[];
}

/** Adds the command to the program. Its exit code is left in `process.exitCode`. */
export function addRunCommand(program: Command): void {
  const defaultRanks = Math.min(readAllowedCores().length, MAX_LOCAL_RANKS);
  program
    .command("run")
    .description("run a script as the ranks of a job on this machine")
    .argument("<script>", "JavaScript file (TypeScript with Node 22.18 or newer)")
    .argument("[args...]", "arguments of the script")
    .addOption(
      new Option("-n, --ranks <count>", `how many ranks, 1 to ${MAX_LOCAL_RANKS}`)
        .argParser(parseCount)
        .default(defaultRanks, `the allowed cores: ${defaultRanks}`),
    )
    .option("--threads", "make ranks threads of one process instead of processes")
    .addOption(
      new Option("--segment-mib <count>", "shared memory of each rank in MiB")
        .env("MLSL_SEGMENT_MIB")
        .argParser(parseCount)
        .default(DEFAULT_ARENA_BYTES / MIB),
    )
    .addOption(progressWorkersOption())
    .addOption(progressAffinityOption())
    .option("--no-pin", "do not pin ranks to cores")
    .option("--no-prefix", "pass the ranks' output on as it comes, without their numbers")
    // What follows the script is the script's, also if it looks like an option of ours.
    .passThroughOptions()
    .action(async (script: string, args: string[], options: RunOptions) => {
      process.exitCode = await run(script, args, options);
    });
}

async function run(script: string, args: string[], options: RunOptions): Promise<number> {
  let job: Job | undefined;
  const interrupt = (signal: NodeJS.Signals) => job?.interrupt(signal);
  // Before the first rank is started: a signal that comes meanwhile must not end the launcher alone.
  // It is handled when the event loop turns, and by then there is a job.
  for (const signal of END_SIGNALS) process.on(signal, interrupt);
  job = new Job({
    script,
    args,
    ranks: options.ranks,
    arenaBytes: options.segmentMib * MIB,
    pin: options.pin,
    prefix: options.prefix,
    progressWorkers: options.progressWorkers,
    ...(options.progressAffinity === undefined ? {} : { progressCores: options.progressAffinity }),
    ...(options.threads === true ? { form: "threads" } : {}),
  });
  // The job notices a closed output and ends; what is written later must not crash the launcher.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const { exitCode, form, leftRunning } = await job.result;
  for (const signal of END_SIGNALS) process.off(signal, interrupt);
  // Node waits for its threads before it exits. One that is blocked in a native call would keep
  // it for ever, and can only be ended with the whole process.
  if (form === "threads" && leftRunning.length > 0) process.kill(process.pid, "SIGKILL");
  // A failed job ends in time, even if its last words are stuck before a reader that sleeps.
  if (exitCode !== 0) setTimeout(() => process.exit(exitCode), LAST_WORDS_MS).unref();
  return exitCode;
}
