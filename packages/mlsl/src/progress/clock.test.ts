import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { sharedNowMs } from "./clock.js";

test("another thread reads the same time", async () => {
  const module = JSON.stringify(new URL("./clock.js", import.meta.url).href);
  const source = `import(${module}).then(({ sharedNowMs }) => {
    require("node:worker_threads").parentPort.postMessage(sharedNowMs());
  });`;
  const beforeMs = sharedNowMs();
  const worker = new Worker(source, { eval: true });
  const timeMs = await new Promise<number>((resolve) => void worker.once("message", resolve));
  const afterMs = sharedNowMs();
  await worker.terminate();
  assert.ok(beforeMs < timeMs && timeMs < afterMs, `${beforeMs} < ${timeMs} < ${afterMs}`);
});
