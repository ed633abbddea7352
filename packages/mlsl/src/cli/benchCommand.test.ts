import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchLine } from "../bench/rankMain.js";
import { benchSizes } from "./benchCommand.js";

const MLSL = fileURLToPath(new URL("../../bin/mlsl.js", import.meta.url));
const run = promisify(execFile);
/** A tiny run takes 2 s; this only keeps a defect from hanging the test. */
const LIMIT = { timeout: 60000 };

test("benchSizes multiplies, in whole elements", () => {
  assert.deepEqual(benchSizes(4, 64, 4), [4, 16, 64]);
  assert.deepEqual(benchSizes(5, 20, 2), [8, 12, 20]);
});

for (const form of [[], ["--threads"], ["--outside"]]) {
  test(`mlsl bench ${form.join(" ")} checks results and prints a line of JSON each`, async () => {
    const args = ["--json", "--min", "4", "--max", "65536", "--step", "128", "--budget-ms", "5"];
    const { stdout } = await run(process.execPath, [MLSL, "bench", ...args, ...form], LIMIT);
    const lines = stdout
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as BenchLine);
    const seen = lines.map(({ op, bytes }) => `${op} ${bytes}`);
    assert.deepEqual(seen, [
      "allreduce 4",
      "allreduce 512",
      "allreduce 65536",
      "broadcast 4",
      "broadcast 512",
      "broadcast 65536",
      "allgather 512",
      "allgather 65536",
      "barrier 0",
    ]);
    for (const line of lines) {
      assert.equal(line.ranks, 2);
      assert.ok(line.min_us > 0 && line.min_us <= line.median_us && line.median_us <= line.p99_us);
      assert.ok(line.c2c_ns > 0);
    }
  });
}

test("mlsl bench refuses operations and sizes that make no sense", async () => {
  for (const [args, message] of [
    [["--ops", "allscatter"], /Expected some of allreduce, .*"allscatter"/],
    [["--step", "1"], /at least 2 is expected/],
    [["--max", "0"], /whole number of at least 1/],
  ] as const) {
    await assert.rejects(run(process.execPath, [MLSL, "bench", ...args], LIMIT), (error) => {
      const { code, stderr } = error as { code: number; stderr: string };
      assert.equal(code, 2);
      assert.match(stderr, message);
      return true;
    });
  }
});
