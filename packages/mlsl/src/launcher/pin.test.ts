import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { readAllowedCores } from "./cores.js";
import { currentThreadId, pinTo } from "./pin.js";

/** A core that no machine has: the kernel is built for fewer. */
const NO_CORE = 8191;

test("the first thread of a process bears its number", () => {
  assert.equal(currentThreadId(), process.pid);
});

test("CCL-9: a core that is not allowed is named with those that are, and nothing breaks", () => {
  const before = readAllowedCores();
  const problem = pinTo(NO_CORE, { kind: "process", id: process.pid });
  assert.match(
    problem ?? "",
    new RegExp(`core ${NO_CORE}.*allowed cores are ${before.join(", ")}`),
  );
  assert.deepEqual(readAllowedCores(), before);
});

test("without taskset the problem names it", () => {
  const path = process.env.PATH;
  process.env.PATH = "/nowhere";
  try {
    assert.match(pinTo(0, { kind: "process", id: process.pid }) ?? "", /taskset was not found/);
  } finally {
    process.env.PATH = path;
  }
});

test("a thread pins itself and leaves the other threads where they were", async () => {
  const before = readAllowedCores();
  const core = before.at(-1);
  const worker = new Worker(
    `const { workerData, parentPort } = require("node:worker_threads");
     const { readFileSync } = require("node:fs");
     import(workerData.module).then(({ currentThreadId, pinTo }) => {
       const problem = pinTo(workerData.core, { kind: "thread", id: currentThreadId() });
       parentPort.postMessage([problem, readFileSync("/proc/thread-self/status", "utf8")]);
     });`,
    { eval: true, workerData: { module: new URL("./pin.js", import.meta.url).href, core } },
  );
  const [problem, status] = await new Promise<[unknown, string]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  assert.equal(problem, undefined);
  assert.equal(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1], String(core));
  assert.deepEqual(readAllowedCores(), before);
});
