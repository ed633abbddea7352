/** The command line. */

import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { addBenchCommand } from "./benchCommand.js";
import { addRunCommand } from "./runCommand.js";
import { addSimulateCommand } from "./simulateCommand.js";

/** Exit code for what was asked wrongly, as shells and most tools use it. */
const USAGE_EXIT_CODE = 2;

/** The commands, each in its own file. */
const COMMANDS: readonly ((program: Command) => void)[] = [
  addRunCommand,
  addBenchCommand,
  addSimulateCommand,
];

/**
 * Runs the command line and leaves the exit code in `process.exitCode`.
 *
 * @param argv as `process.argv`: Node, the program, then the arguments
 */
export async function main(argv: readonly string[]): Promise<void> {
  const program = new Command("mlsl")
    .description("MLSL for Node.js: communication for scale-out deep-learning training")
    .version(readVersion())
    .enablePositionalOptions()
    .exitOverride();
  for (const add of COMMANDS) add(program);
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = report(error);
  }
}

/** Prints what the user can mend as one line; anything else is a defect and keeps its stack. */
function report(error: unknown): number {
  // Commander has already printed help, version or its complaint.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_EXIT_CODE;
  if (!(error instanceof LaunchRefusedError)) throw error;
  process.stderr.write(`mlsl: ${error.message}\n`);
  return USAGE_EXIT_CODE;
}

function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
