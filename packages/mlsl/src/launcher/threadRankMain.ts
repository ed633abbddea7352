/** First module of each rank that is a worker thread: makes the thread ready, runs the script. */

import { fileURLToPath } from "node:url";
import { workerData } from "node:worker_threads";
import { readRankEnvironment, type ThreadHandover } from "../bootstrap/rankEnvironment.js";
import { currentThreadId, pinRank } from "./pin.js";

const { scriptUrl } = (workerData as { readonly mlsl: ThreadHandover }).mlsl;
const environment = readRankEnvironment(process.env);
if (environment?.core !== undefined) {
  pinRank(environment, { kind: "thread", id: currentThreadId() });
}
// Scripts find their own path where they would find it in a process.
process.argv[1] = fileURLToPath(scriptUrl);
await import(scriptUrl);
