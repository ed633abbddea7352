import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { summaryLine } from "./runTests.mjs";

const folder = mkdtempSync(join(tmpdir(), "mlsl-run-tests-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs one test file with the given body through the runner, in a process of its own. */
function runBody(name, body) {
  const file = join(folder, `${name}.test.mjs`);
  writeFileSync(file, `import { test } from "node:test";\n${body}\n`);
  const runner = pathToFileURL(join(import.meta.dirname, "runTests.mjs")).href;
  const program =
    `import { runTests } from ${JSON.stringify(runner)};\n` +
    `const write = (text) => process.stdout.write(text);\n` +
    `const files = [${JSON.stringify(file)}];\n` +
    `const counts = await runTests({ files, timeoutMs: 1500, write });\n` +
    `process.exitCode = counts.failed === 0 ? 0 : 1;\n`;
  // Without this the inner runner takes itself for a test file of the outer one and runs nothing.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const main = join(folder, `${name}.mjs`);
  writeFileSync(main, program);
  return spawnSync(process.execPath, [main], { env, encoding: "utf8", timeout: 30_000 });
}

/** Whether a process is gone or only waits for its new parent to take note of it (Linux). */
function hasEnded(pid) {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch (error) {
    return error.code === "ENOENT";
  }
}

function lastLine(text) {
  return text.trimEnd().split("\n").at(-1);
}

test("a passing file ends with the counts and exit code 0", () => {
  const result = runBody("pass", `test("a", () => {}); test("b", () => {});`);
  assert.equal(lastLine(result.stdout), "2 passed, 0 failed");
  assert.equal(result.status, 0);
});

test("a failing test is counted and turns the exit code", () => {
  const result = runBody(
    "fail",
    `test("a", () => {}); test("b", () => { throw new Error("b"); });`,
  );
  assert.equal(lastLine(result.stdout), "1 passed, 1 failed");
  assert.equal(result.status, 1);
});

test("a file that leaks a timer turns red by the time-out", () => {
  const result = runBody("leak", `test("a", () => { setInterval(() => {}, 1000); });`);
  assert.equal(lastLine(result.stdout), "1 passed, 1 failed");
  assert.equal(result.status, 1);
});

test("a file that also ignores SIGTERM neither hangs the runner nor survives it", () => {
  const body = `process.on("SIGTERM", () => {}); test("a", () => { setInterval(() => {}, 1000); });`;
  const result = runBody("stubborn", body);
  assert.equal(lastLine(result.stdout), "1 passed, 1 failed");
  assert.equal(result.status, 1);
  const pid = Number(/Test process (\d+) did not end/.exec(result.stdout)?.[1]);
  assert.ok(hasEnded(pid), result.stdout);
});

test("a killed file takes along what it had started", () => {
  const body =
    `import { spawn } from "node:child_process";\n` +
    `const args = ["-e", "setInterval(() => {}, 1000)"];\n` +
    `test("a", () => {\n` +
    `  process.on("SIGTERM", () => {});\n` +
    `  console.log("child", spawn(process.execPath, args, { stdio: "inherit" }).pid);\n` +
    `});`;
  const result = runBody("parent", body);
  assert.equal(lastLine(result.stdout), "1 passed, 1 failed");
  const pid = Number(/child (\d+)/.exec(result.stdout)?.[1]);
  assert.ok(hasEnded(pid), result.stdout);
});

test("a file without a test is a failure", () => {
  const result = runBody("empty", "void test;");
  assert.match(result.stdout, /empty\.test\.mjs: holds no test/);
  assert.equal(lastLine(result.stdout), "0 passed, 1 failed");
  assert.equal(result.status, 1);
});

test("stack traces of compiled code name the source", () => {
  const options = `test("a", () => { if (!process.env.NODE_OPTIONS?.includes("source-maps")) throw 1; });`;
  assert.equal(runBody("maps", options).status, 0);
});

test("skipped tests are told apart in the summary", () => {
  assert.equal(summaryLine({ passed: 3, failed: 0, skipped: 0 }), "3 passed, 0 failed");
  assert.equal(summaryLine({ passed: 3, failed: 1, skipped: 2 }), "3 passed, 1 failed, 2 skipped");
});
