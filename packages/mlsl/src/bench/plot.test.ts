import assert from "node:assert/strict";
import { test } from "node:test";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { exampleLine } from "./fixtures/exampleLine.js";
import { curvesOf, drawBench, loadCharts } from "./plot.js";

const SIZES = [4, 1024, 1048576];
const LINES = ["allreduce", "alltoall"].flatMap((op) =>
  SIZES.map((bytes) => exampleLine({ op, bytes, median_us: bytes / 100 })),
);

test("curves are named by what they differ in, and barriers are none", () => {
  assert.deepEqual([...curvesOf(LINES).keys()], ["allreduce", "alltoall"]);
  const mixed = [
    exampleLine({ ranks: 2, algorithm: "direct" }),
    exampleLine({ ranks: 4, algorithm: "ring" }),
    exampleLine({ op: "barrier", bytes: 0, ranks: 2 }),
  ];
  assert.deepEqual([...curvesOf(mixed).keys()], ["direct, 2 ranks", "ring, 4 ranks"]);
  assert.deepEqual([...curvesOf(mixed.slice(0, 1)).keys()], ["allreduce"]);
});

test("the picture is an SVG with both panels, all curves and readable sizes", async () => {
  const svg = drawBench(await loadCharts(), LINES);
  assert.match(svg, /^<svg [^>]*width="1100"[\s\S]*<\/svg>$/);
  for (const text of ["median, us", "bus bandwidth, GB/s", "allreduce", "alltoall", "1 MiB"]) {
    assert.ok(svg.includes(`>${text}<`), text);
  }
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
