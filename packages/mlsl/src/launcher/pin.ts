/** Pins a rank to its core, from inside the rank. Node has no call for it; `taskset` has. */

import { execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { RankEnvironment } from "../bootstrap/rankEnvironment.js";
import { readAllowedCores } from "./cores.js";

/** What is pinned: a process with all its threads, or one thread. */
export interface PinTarget {
  readonly kind: "process" | "thread";
  /** Process or thread id. */
  readonly id: number;
}

/** taskset takes a few milliseconds; a machine too busy for it by then can do without pinning. */
const TASKSET_LIMIT_MS = 5000;

/** The kernel's id of the thread that calls this. */
export function currentThreadId(): number {
  return Number(basename(readlinkSync("/proc/thread-self")));
}

/**
 * Pins to a core.
 *
 * @returns why it could not be done, or undefined if it was
 */
export function pinTo(core: number, target: PinTarget): string | undefined {
  const scope = target.kind === "process" ? ["-a"] : [];
  try {
    execFileSync("taskset", [...scope, "-p", "-c", String(core), String(target.id)], {
      stdio: ["ignore", "ignore", "pipe"],
      timeout: TASKSET_LIMIT_MS,
    });
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") {
      return `Cannot pin to core ${core}: the command taskset was not found (package util-linux)`;
    }
    return `Cannot pin to core ${core}: the allowed cores are ${readAllowedCores().join(", ")}`;
  }
}

/** Pins a rank if it was given a core. Where that fails it runs on unpinned, and rank 0 says so. */
export function pinRank(environment: RankEnvironment, target: PinTarget): void {
  if (environment.core === undefined) return;
  const problem = pinTo(environment.core, target);
  if (problem === undefined || environment.rank !== 0) return;
  process.stderr.write(`mlsl: ${problem}; going on unpinned\n`);
}
