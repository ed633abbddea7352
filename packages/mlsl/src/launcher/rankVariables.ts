/** The environment that a rank is started with. */

import { RANK_VARIABLES } from "../bootstrap/rankEnvironment.js";

/** Numbers that a launcher tells a rank, by the keys of RANK_VARIABLES. */
export type RankNumbers = Partial<Record<keyof typeof RANK_VARIABLES, number>> & {
  readonly computeThreads: number;
};

/** Variables by which numeric libraries choose how many threads they start. */
const THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"];

/**
 * A rank's variables: those given, less what an outer job may have left in them, plus the rank's
 * own. The thread counts of numeric libraries are set unless the user has set them, as each rank
 * would otherwise start a thread per core of the machine.
 */
export function rankVariables(base: NodeJS.ProcessEnv, numbers: RankNumbers): NodeJS.ProcessEnv {
  const env = { ...base };
  for (const [key, name] of Object.entries(RANK_VARIABLES)) {
    delete env[name];
    const value = numbers[key as keyof typeof RANK_VARIABLES];
    if (value !== undefined) env[name] = String(value);
  }
  for (const name of THREAD_VARIABLES) env[name] ??= String(numbers.computeThreads);
  return env;
}
