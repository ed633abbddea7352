import assert from "node:assert/strict";
import { test } from "node:test";
import { drawChart, panelsOf, timeText } from "./chart.mjs";

const line = (peer, op, bytes, median_us, group = "far") => ({
  ...{ peer, op, bytes, median_us, group },
  ranks: 2,
});

test("a panel holds the group with most figures; operations without sizes have none", () => {
  const panels = panelsOf([
    line("mpich", "allreduce", 16, 3),
    line("mpich", "allreduce", 4, 2),
    line("mpich", "allreduce", 4, 1, "near"),
    line("mlsl-processes", "broadcast", 4, 5, "near"),
    line("mpich", "barrier", 0, 1),
  ]);
  const curve = (peer, ...points) => ({ peer, points });
  assert.deepEqual(panels, [
    {
      name: "allreduce, 2 ranks, cores far",
      sizes: [4, 16],
      curves: [curve("mpich", [4, 2], [16, 3])],
    },
    {
      name: "broadcast, 2 ranks, cores near",
      sizes: [4],
      curves: [curve("mlsl-processes", [4, 5])],
    },
  ]);
});

test("the chart names operations and peers, and ours is in the strong colour", () => {
  const svg = drawChart(
    [
      line("mpich", "allreduce", 4, 1),
      line("mpich", "allreduce", 1024, 2),
      line("mlsl-processes", "allreduce", 4, 0.5),
      line("mlsl-processes", "allreduce", 1024, 1),
    ],
    ["mpich", "mlsl-processes", "ideal"],
  );
  assert.match(svg, /^<svg /);
  for (const text of ["allreduce, 2 ranks, cores far", "mpich", "mlsl-processes"]) {
    assert.ok(svg.includes(`>${text}<`), text);
  }
  assert.ok(!svg.includes("ideal"));
  assert.match(svg, /stroke="#d7263d" stroke-width="3\.5"/);
});

test("times at the axis have the unit that makes them short", () => {
  assert.deepEqual([0.1, 1, 100, 1000, 100000, 1000000].map(timeText), [
    ...["0.1 us", "1 us", "100 us", "1 ms", "100 ms", "1 s"],
  ]);
});
