import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Command, CommanderError } from "commander";
import type { BenchLine } from "../bench/benchLine.js";
import { BENCH_OPS } from "../bench/ops.js";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { addBenchCommand } from "./benchCommand.js";

const MLSL = fileURLToPath(new URL("../../bin/mlsl.js", import.meta.url));
const run = promisify(execFile);
/** A tiny run takes 2 s; this only keeps a defect from hanging the test. */
const LIMIT = { timeout: 60000 };

async function lines(...args: string[]): Promise<BenchLine[]> {
  const all = [MLSL, "bench", "--json", "--budget-ms", "1", ...args];
  const { stdout } = await run(process.execPath, all, LIMIT);
  const texts = stdout.trim().split("\n");
  return texts.map((text) => JSON.parse(text) as BenchLine);
}

const FORMS = [
  [],
  ["--threads", "--persistent"],
  ["--outside", "--in-place", "-n", "3"],
  ["--out-of-place", "--types", "bfloat16", "--reduce", "max", "--algorithms", "all"],
];

for (const form of FORMS) {
  test(`mlsl bench ${form.join(" ")} measures all operations and checks them`, async () => {
    const seen = await lines("--sizes", "64,20K", ...form);
    for (const op of BENCH_OPS) {
      const own = seen.filter((line) => line.op === op);
      assert.equal(new Set(own.map(({ bytes }) => bytes)).size, op === "barrier" ? 1 : 2, op);
    }
    for (const line of seen) {
      assert.equal(line.ranks, form.includes("3") ? 3 : 2);
      assert.equal(line.rank_us.length, line.ranks);
      assert.ok(line.min_us > 0 && line.min_us <= line.median_us && line.median_us <= line.p99_us);
      assert.ok(line.skew_us >= 0 && line.c2c_ns > 0);
      assert.equal(line.peer.endsWith("-outside"), form.includes("--outside"));
      assert.equal(line.peer.startsWith("mlsl-threads"), form.includes("--threads"));
      assert.equal(line.form, form.includes("--persistent") ? "persistent" : "sync");
    }
  });
}

test("mlsl bench -n 1,2 measures one number of ranks after the other", async () => {
  const seen = await lines("-n", "1,2", "--ops", "allreduce,barrier", "--max", "16");
  assert.deepEqual(
    seen.map(({ ranks, op, bytes }) => `${ranks} ${op} ${bytes}`),
    [
      "1 allreduce 4",
      "1 allreduce 16",
      "1 barrier 0",
      "2 allreduce 4",
      "2 allreduce 16",
      "2 barrier 0",
    ],
  );
});

test("mlsl bench --plot --tune --csv writes all files of one run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mlsl-bench-"));
  const files = ["plot.svg", "tune.json", "all.csv"].map((name) => join(folder, name));
  const options = files.flatMap((file, i) => [["--plot", "--tune", "--csv"][i]!, file]);
  const args = [
    MLSL,
    "bench",
    "--budget-ms",
    "1",
    "--ops",
    "gather",
    "--sizes",
    "8,1K",
    ...options,
  ];
  try {
    const { stdout } = await run(process.execPath, args, LIMIT);
    assert.match(
      stdout,
      /^mlsl-\w+, 2 ranks, sync\noperation .*\ngather .* 8 B .*\ngather .* 1 KiB /,
    );
    const [svg, table, csv] = files.map((file) => readFileSync(file, "utf8"));
    assert.match(svg!, /^<svg /);
    assert.deepEqual(JSON.parse(table!).version, 1);
    assert.equal(csv!.split("\n").length, stdout.split("\n").length - 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** What the command line says to options, in this process: nothing may start. */
async function complaint(args: string): Promise<string> {
  const texts: string[] = [];
  const writeErr = (text: string): unknown => texts.push(text);
  const program = new Command().exitOverride().configureOutput({ writeErr });
  addBenchCommand(program);
  try {
    await program.parseAsync(["bench", "--ops", "allreduce", ...args.split(" ")], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return texts.join("");
    if (error instanceof LaunchRefusedError) return error.message;
    throw error;
  }
  return assert.fail(`"${args}" was taken`);
}

test("mlsl bench refuses what makes no sense, before any rank starts", async () => {
  for (const [args, message] of [
    ["--ops allscatter", /Expected some of allreduce, .*"allscatter"/],
    ["--types float8", /Expected some of uint8, .*"float8"/],
    ["--reduce mean", /Expected some of sum, average, .*"mean"/],
    ["--reduce and", /Cannot measure allreduce with and: it is for integers/],
    ["--algorithms zigzag", /Cannot measure algorithm "zigzag": .* know direct/],
    ["--step 1", /Expected a factor above 1/],
    ["--max 0", /Expected bytes from 1 to 4G/],
    ["--budget-ms 0", /Expected a whole number of at least 1/],
    ["--min 64 --max 4", /--min must not exceed --max/],
    ["--sizes 4 --max 8", /'--sizes <list>' cannot be used with option '--max <bytes>'/],
    ["--in-place --out-of-place", /cannot be used with/],
    ["--json --csv -", /cannot be used with/],
    ["-n 2,65", /Cannot start 65 ranks: expected a whole number from 1 to 64/],
    ["--ops alltoall --sizes 4", /alltoall of float32 between 2 ranks in 4 bytes: at least 8/],
    ["--sizes 4G", /segment/],
    ["--ops barrier --plot x.svg", /Cannot draw a plot: an operation that has sizes/],
    ["--csv no/such/file", /Cannot write CSV to "no\/such\/file": an existing folder/],
    ["--tune t.json --types int8,int16", /Cannot tune: .* one of each is expected, got int8/],
  ] as const) {
    assert.match(await complaint(args), message);
  }
});

test("mlsl bench that is asked wrongly ends with 2 and prints nothing else", async () => {
  const args = [MLSL, "bench", "--ops", "alltoall", "--sizes", "4"];
  await assert.rejects(run(process.execPath, args, LIMIT), (error) => {
    const { code, stderr, stdout } = error as { code: number; stderr: string; stdout: string };
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /^mlsl: Cannot measure alltoall of float32 .*\n$/);
    return true;
  });
});
