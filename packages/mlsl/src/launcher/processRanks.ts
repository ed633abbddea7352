/**
 * Ranks as processes. Each leads a session of its own: a signal reaches it with all that it
 * started, and Ctrl-C in the terminal reaches only the launcher, which passes it on.
 */

import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { RankEnd } from "./endPolicy.js";
import type { StreamName } from "./jobOutput.js";
import {
  feed,
  notStarted,
  type RankHandle,
  type RankListener,
  type RankSetup,
} from "./rankHandle.js";

/** Descriptor under which a rank finds its segment: the first after stdin, stdout and stderr. */
export const SEGMENT_FD = 3;

const PRELOAD = new URL("./processRankPreload.js", import.meta.url).href;

/** Starts a rank. A failure to start is reported to the listener like any other end. */
export function startProcessRank(
  setup: RankSetup,
  segmentFd: number,
  listener: RankListener,
): RankHandle {
  const { rank, nodeArgs, scriptPath, args, env, input } = setup;
  const options: SpawnOptions = {
    detached: true,
    env,
    // One terminal has one reader: rank 0. The others would take its input away.
    stdio: [rank > 0 ? "ignore" : input ? "pipe" : "inherit", "pipe", "pipe", segmentFd],
  };
  const command = [...nodeArgs, "--import", PRELOAD, scriptPath, ...args];
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, command, options);
  } catch (error) {
    // Out of memory and the like; other refusals arrive as an event.
    return notStarted(error, listener);
  }
  watch(child, listener);
  feed(input, child.stdin);
  return {
    pid: child.pid,
    output: outputOf(child),
    signal: (signal) => signalGroup(child.pid, signal),
  };
}

function watch(child: ChildProcess, listener: RankListener): void {
  child.once("error", (error) => {
    if (child.pid === undefined) listener.ended({ kind: "notStarted", message: error.message });
  });
  child.once("exit", (code, signal) => {
    // Before its number can be given to somebody else.
    signalGroup(child.pid, "SIGKILL");
    listener.ended(endOf(code, signal));
  });
}

function endOf(code: number | null, signal: NodeJS.Signals | null): RankEnd {
  if (signal !== null) return { kind: "signalled", signal };
  return { kind: "exited", code: code ?? 0 };
}

function outputOf(child: ChildProcess): [StreamName, Readable][] {
  const output: [StreamName, Readable][] = [];
  // Absent when the process could not be started.
  if (child.stdout) output.push(["stdout", child.stdout]);
  if (child.stderr) output.push(["stderr", child.stderr]);
  return output;
}

function signalGroup(leader: number | undefined, signal: NodeJS.Signals): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, signal);
  } catch {
    // Nobody is left in the group, which is what a signal is after.
  }
}
