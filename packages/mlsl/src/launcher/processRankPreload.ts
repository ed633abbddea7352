/** Runs in each rank that is a process, before the user's script. */

import { isMainThread } from "node:worker_threads";
import { type RankEnvironment, readRankEnvironment } from "../bootstrap/rankEnvironment.js";
import { loadNative } from "../memory/native.js";
import { pinRank } from "./pin.js";

/** A rank must not outlive its launcher, even if that is killed without a chance to act. */
function tieToLauncher(environment: RankEnvironment): void {
  loadNative()?.dieWithParent();
  // The launcher may have died before the kernel was asked.
  if (process.ppid !== environment.launcherPid) process.exit(1);
}

/** What the rank starts itself is no rank: it must not load this file again. */
function forgetPreload(): void {
  const at = process.execArgv.indexOf(import.meta.url);
  if (at > 0) process.execArgv.splice(at - 1, 2);
}

// Threads that the script starts inherit the option that loads this file.
const environment = isMainThread ? readRankEnvironment(process.env) : undefined;
if (environment !== undefined) {
  forgetPreload();
  tieToLauncher(environment);
  pinRank(environment, { kind: "process", id: process.pid });
}
