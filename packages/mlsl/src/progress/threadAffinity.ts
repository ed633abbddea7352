/** Pins the calling thread to a core. Node has no call for it; the command `taskset` has. */

import { execFileSync } from "node:child_process";
import { readlinkSync } from "node:fs";
import { basename } from "node:path";

/** taskset takes a few milliseconds; a machine too busy for it by then can do without pinning. */
const TASKSET_LIMIT_MS = 5000;

/** The kernel's id of the thread that calls this. */
function currentThreadId(): number {
  return Number(basename(readlinkSync("/proc/thread-self")));
}

/**
 * Pins the thread that calls this.
 *
 * @returns whether it could be done; without it the thread works as well, but elsewhere
 */
export function pinTo(core: number): boolean {
  try {
    const id = String(currentThreadId());
    execFileSync("taskset", ["-p", "-c", String(core), id], {
      stdio: "ignore",
      timeout: TASKSET_LIMIT_MS,
    });
    return true;
  } catch {
    return false;
  }
}
