/** Options about progress workers, of all commands that start ranks. */

import { InvalidArgumentError, Option } from "commander";
import { parseCpuList } from "../launcher/cores.js";
import { parseWorkers } from "./numbers.js";

/** The option for progress workers, which `mlsl bench` has, too. */
export function progressWorkersOption(): Option {
  return new Option(
    "--progress-workers <count>",
    "threads of each rank that communicate while it computes: a number, or auto (1 where there are " +
      "at least 2 cores per rank)",
  )
    .env("MLSL_PROGRESS_WORKERS")
    .argParser(parseWorkers)
    .default(0);
}

/** The option for their cores. */
export function progressAffinityOption(): Option {
  return new Option(
    "--progress-affinity <cores>",
    'cores of the progress workers, like "2,3" or "4-7"',
  )
    .env("MLSL_PROGRESS_AFFINITY")
    .argParser((text) => {
      try {
        return parseCpuList(text);
      } catch (error) {
        throw new InvalidArgumentError((error as Error).message);
      }
    });
}
