import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { main } from "./main.js";

/** Runs the command in this process. @returns its lines and exit code */
async function simulate(context: TestContext, args: readonly string[]) {
  const lines: string[] = [];
  const log = context.mock.method(console, "log", (text: string) => lines.push(text));
  const write = context.mock.method(process.stderr, "write", (text: string) => lines.push(text));
  const before = process.exitCode;
  process.exitCode = undefined;
  await main(["node", "mlsl", "simulate", "training", ...args]);
  const code = process.exitCode;
  process.exitCode = before;
  log.mock.restore();
  write.mock.restore();
  return { lines, code };
}

const SMALL = ["--net", "googlenet", "--nodes", "2", "--batch", "4"];

test("it prints a table, fifo first, and draws a chart", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "mlsl-test-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const svg = join(folder, "chart.svg");
  const { lines, code } = await simulate(context, [...SMALL, "--svg", svg]);
  assert.equal(code, undefined);
  const firsts = lines.map((line) => line.trim().split(/ +/).slice(0, 4).join(" "));
  assert.equal(firsts[0], "net nodes batch order");
  const modes = ["fifo", "lifo", "priority"].map((mode) => `googlenet 2 4 ${mode}`);
  assert.deepEqual(firsts.slice(1), modes);
  assert.match(readFileSync(svg, "utf8"), /^<svg /);
});

test("as lines of JSON, and always the same", async (context) => {
  const skew = ["--skew", "0.1", "--seed", "7"];
  const args = [...SMALL, "--json", "--mode", "priority", "--fuse", "1M", ...skew];
  const [first, second] = [await simulate(context, args), await simulate(context, args)];
  assert.deepEqual(first, second);
  const line = JSON.parse(first.lines[0]!);
  assert.deepEqual([line.net, line.nodes, line.batch, line.mode], ["googlenet", 2, 4, "priority"]);
  assert.ok(line.step_ms >= line.bound_ms);
});

test("impossible values are refused", async (context) => {
  for (const [args, message] of [
    [["--nodes", "1"], /Cannot simulate 1 nodes: expected 2 to 16384/],
    [["--net", "lenet"], /Expected some of vgg16, resnet50, alexnet, googlenet, got "lenet"/],
    [["--bandwidth", "0"], /Expected a number of at least 0.001, got "0"/],
  ] as const) {
    const { lines, code } = await simulate(context, args);
    assert.equal(code, 2);
    assert.match(lines.join(""), message);
  }
});
