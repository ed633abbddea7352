/** Ranks as worker threads of the launcher: the form that needs nothing but Node. */

import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import type { ThreadHandover } from "../bootstrap/rankEnvironment.js";
import type { RankEnd } from "./endPolicy.js";
import {
  feed,
  notStarted,
  type RankHandle,
  type RankListener,
  type RankSetup,
} from "./rankHandle.js";

const MAIN = new URL("./threadRankMain.js", import.meta.url);

/** Starts a rank. A failure to start is reported to the listener like any other end. */
export function startThreadRank(
  setup: RankSetup,
  memory: WebAssembly.Memory,
  listener: RankListener,
): RankHandle {
  const mlsl: ThreadHandover = { memory, scriptUrl: pathToFileURL(setup.scriptPath).href };
  let worker: Worker;
  try {
    worker = new Worker(MAIN, {
      workerData: { mlsl },
      argv: [...setup.args],
      env: setup.env,
      stdout: true,
      stderr: true,
      stdin: setup.input !== undefined,
      name: `mlsl rank ${setup.rank}`,
      // Not those of the launcher, as a process would not get them either.
      execArgv: [...setup.nodeArgs],
    });
  } catch (error) {
    // For example an option of Node that a thread cannot have.
    return notStarted(error, listener);
  }
  feed(setup.input, worker.stdin);
  let thrown: RankEnd | undefined;
  worker.once("error", (error: unknown) => {
    listener.print("stderr", `Uncaught ${inspect(error)}`);
    thrown = { kind: "threw", message: summary(error) };
  });
  worker.once("exit", (code) => {
    // A process's exit code has 8 bits; a thread's would pass as 256 here and as 0 outside.
    listener.ended(thrown ?? { kind: "exited", code: code & 0xff });
  });
  return {
    pid: process.pid,
    output: [
      ["stdout", worker.stdout],
      ["stderr", worker.stderr],
    ],
    // A thread cannot be signalled, only ended.
    signal: () => void worker.terminate(),
  };
}

/** First line of an error; the rest is printed in full. */
function summary(error: unknown): string {
  const text = error instanceof Error ? error.message : inspect(error);
  return text.split("\n", 1)[0] ?? "";
}
