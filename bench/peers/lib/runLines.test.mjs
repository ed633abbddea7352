import assert from "node:assert/strict";
import { test } from "node:test";
import { runLines } from "./runLines.mjs";

const LINE = {
  ...{ peer: "p", op: "barrier", bytes: 0, ranks: 2, iterations: 8, min_us: 1, median_us: 2 },
  ...{ p99_us: 3, algbw_GBps: 0, c2c_ns: 100 },
};
const PRINT = `console.log("a remark"); console.log(${JSON.stringify(JSON.stringify(LINE))});`;
/** Far above what any of these programs takes. */
const LIMIT_MS = 60_000;

async function run(program, limitMs = LIMIT_MS) {
  const lines = [];
  const start = { command: process.execPath, args: ["-e", program], env: { MARK: "seen" } };
  const problem = await runLines(start, limitMs, (line) => lines.push(line));
  return { lines, problem };
}

test("the lines of a program that ends well are taken", async () => {
  assert.deepEqual(await run(PRINT), { lines: [LINE], problem: undefined });
});

test("a failing program is told by its code and its complaint; its lines count", async () => {
  const { lines, problem } = await run(
    `${PRINT} console.error(process.env.MARK); process.exitCode = 3`,
  );
  assert.deepEqual(lines, [LINE]);
  assert.equal(problem, "failed (3): seen");
});

test("a program that does not end is ended, with what it started", async () => {
  const sleeper = "setInterval(() => {}, 1000)";
  const program = `${PRINT}
    const { spawn } = require("node:child_process");
    spawn(process.execPath, ["-e", ${JSON.stringify(sleeper)}], { stdio: "inherit" });
    ${sleeper}`;
  // The pipe closes only when both have ended, so that this returns at all is the proof.
  const { lines, problem } = await run(program, 2000);
  assert.deepEqual(lines, [LINE]);
  assert.equal(problem, "did not end in 2 s");
});

test("a command that is not there is told", async () => {
  const start = { command: "/does/not/exist", args: [], env: {} };
  assert.match(await runLines(start, LIMIT_MS, assert.fail), /^failed \(.*ENOENT\)/);
});
