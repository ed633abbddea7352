/** `mlsl simulate`: what the engine does on networks that are not there. */

import type { Command } from "commander";
import { addSimulateTrainingCommand } from "./simulateTrainingCommand.js";

/** Adds the command to the program. */
export function addSimulateCommand(program: Command): void {
  const simulate = program
    .command("simulate")
    .description("run the progress engine on a simulated network, in virtual time");
  addSimulateTrainingCommand(simulate);
}
