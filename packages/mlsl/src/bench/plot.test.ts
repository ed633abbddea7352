import assert from "node:assert/strict";
import { test } from "node:test";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import type { BenchLine } from "./benchLine.js";
import { exampleLine } from "./fixtures/exampleLine.js";
import { drawBench, loadCharts, rowsOf } from "./plot.js";

const SIZES = [4, 1024, 1048576];
const LINES = ["allreduce", "alltoall"].flatMap((op) =>
  SIZES.map((bytes) => exampleLine({ op, bytes, median_us: bytes / 100 })),
);

function namesOf(lines: readonly BenchLine[]): [title: string, names: string[]][] {
  return rowsOf(lines).map(({ title, curves }) => [title, [...curves.keys()]]);
}

test("curves are named by what they differ in, and barriers are none", () => {
  assert.deepEqual(namesOf(LINES), [["", ["allreduce", "alltoall"]]]);
  const mixed = [
    exampleLine({ ranks: 1, algorithm: "direct" }),
    exampleLine({ ranks: 4, algorithm: "ring" }),
    exampleLine({ op: "barrier", bytes: 0, ranks: 2 }),
  ];
  assert.deepEqual(namesOf(mixed), [["", ["direct, 1 rank", "ring, 4 ranks"]]]);
  assert.deepEqual(namesOf(mixed.slice(0, 1)), [["", ["allreduce"]]]);
});

/** Nine curves: one more than a panel holds. */
const MANY = ["gather", "scatter", "reduce"].flatMap((op) =>
  ["direct", "linear", "binomial"].map((algorithm) => exampleLine({ op, algorithm })),
);

test("many curves are drawn by operation", () => {
  const names = ["direct", "linear", "binomial"];
  assert.deepEqual(namesOf(MANY), [
    ["gather", names],
    ["scatter", names],
    ["reduce", names],
  ]);
});

test("the picture is an SVG with both panels, all curves and readable sizes", async () => {
  const charts = await loadCharts();
  const svg = drawBench(charts, LINES);
  assert.match(svg, /^<svg [^>]*width="1100"[\s\S]*<\/svg>$/);
  for (const text of ["median, us", "bus bandwidth, GB/s", "allreduce", "alltoall", "1 MiB"]) {
    assert.ok(svg.includes(`>${text}<`), text);
  }
  const rows = drawBench(charts, MANY);
  for (const text of ["gather", "scatter", "reduce"]) assert.ok(rows.includes(`>${text}<`), text);
  assert.equal(rows.split(">median, us<").length, 4);
});

test("without the chart library the user is told what to install", async () => {
  const missing = Object.assign(new Error("not found"), { code: "ERR_MODULE_NOT_FOUND" });
  await assert.rejects(
    loadCharts(() => Promise.reject(missing)),
    (error) => error instanceof LaunchRefusedError && /npm install echarts@6$/.test(error.message),
  );
  const other = new SyntaxError("broken");
  await assert.rejects(
    loadCharts(() => Promise.reject(other)),
    other,
  );
});
