/** Runs a script as the ranks of a job on this machine. */

import { Job, type LaunchResult } from "./job.js";
import type { LaunchOptions } from "./launchOptions.js";

export type {
  RankBroken,
  RankEnd,
  RankExited,
  RankFailure,
  RankSignalled,
} from "./endPolicy.js";
export type { LaunchResult } from "./job.js";
export type { RankLine, StreamName } from "./jobOutput.js";
export { type LaunchOptions, LaunchRefusedError, type RankForm } from "./launchOptions.js";

/**
 * Starts a script once per rank and resolves when all ranks have ended. If one fails, the others
 * are ended too, within 2 s. No signal handlers are installed: pass `signal` to end a job, and
 * call this from a thread that lives as long as the job, as ranks die with the thread that started
 * them.
 *
 * @returns how it went; a failed rank is a result, no error
 * @throws {LaunchRefusedError} If the job cannot be run; then nothing was started.
 * @throws The reason of `signal`, if it was aborted before.
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * import { launch } from "mlsl/launch";
 *
 * writeFileSync("rank.mjs", "console.log(process.env.MLSL_RANK)");
 * const { exitCode } = await launch({ script: "rank.mjs", ranks: 2 });
 * console.log(exitCode);
 * ```
 */
export async function launch(options: LaunchOptions): Promise<LaunchResult> {
  options.signal?.throwIfAborted();
  const job = new Job(options);
  const abort = () => job.interrupt("SIGTERM");
  options.signal?.addEventListener("abort", abort, { once: true });
  // It may have been aborted by a listener while the ranks were started.
  if (options.signal?.aborted) abort();
  try {
    return await job.result;
  } finally {
    options.signal?.removeEventListener("abort", abort);
  }
}
