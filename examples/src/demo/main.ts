/** The demo: the same training on few ranks and on many, and what came of it. */

import { writeFileSync } from "node:fs";
import { constants } from "node:os";
import { relative } from "node:path";
import { CommanderError } from "commander";
import { LaunchRefusedError } from "mlsl/launch";
import { compare } from "./comparison.js";
import { type DemoOptions, parseDemoOptions } from "./demoOptions.js";
import { drawLosses } from "./lossChart.js";
import { Progress } from "./progress.js";
import { runTraining, TrainingFailedError, type TrainingRun } from "./runTraining.js";
import { toJson, toTable } from "./summary.js";
import { type TurnTaking, takeTurns } from "./takeTurns.js";

/** Exit code for what was asked wrongly, as shells and most tools use it. */
const USAGE_EXIT_CODE = 2;

/** Shells report a death by signal as this plus its number. */
const SIGNAL_EXIT_BASE = 128;

try {
  await runDemo(parseDemoOptions(process.argv));
} catch (error) {
  process.exitCode = report(error);
}

async function runDemo(options: DemoOptions): Promise<void> {
  const startedMs = performance.now();
  const abort = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => abort.abort(signal);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, interrupt);
  const start = (ranks: number) => (taking: TurnTaking) => trainOn(ranks, options, taking);
  const [few, many] = await takeTurns(
    [start(options.ranks[0]), start(options.ranks[1])],
    abort.signal,
  );
  const comparison = compare(few, many);
  writeFileSync(options.svg, drawLosses([few, many]));
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(`\n${toTable(comparison)}\n`);
  console.log(`  Loss curves: ${relative("", options.svg)}; all took ${seconds.toFixed(0)} s.`);
  if (options.json) console.log(toJson(comparison, seconds));
}

async function trainOn(
  ranks: number,
  { threads, training }: DemoOptions,
  { turns, onEvent, signal }: TurnTaking,
): Promise<TrainingRun> {
  const progress = new Progress(process.stdout);
  try {
    return await runTraining({
      ranks,
      threads,
      training,
      signal,
      turns,
      onEvent: (event) => {
        progress.show(event);
        onEvent(event);
      },
      onText: (text) => progress.print(text),
    });
  } catch (error) {
    const name: unknown = signal.reason;
    if (typeof name !== "string") throw error;
    const exitCode = SIGNAL_EXIT_BASE + constants.signals[name as NodeJS.Signals];
    throw new TrainingFailedError(`The demo was ended by ${name}`, exitCode);
  }
}

/** Prints what the user can mend as one line; anything else is a defect and keeps its stack. */
function report(error: unknown): number {
  // Commander has already printed help or its complaint.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  if (error instanceof LaunchRefusedError || error instanceof TrainingFailedError) {
    process.stderr.write(`demo: ${error.message}\n`);
    return error instanceof TrainingFailedError ? error.exitCode : USAGE_EXIT_CODE;
  }
  throw error;
}
