import assert from "node:assert/strict";
import { test } from "node:test";
import { drawChart, panelsOf } from "./chart.mjs";

const line = (peer, op, bytes, median_us, group = "far") => ({
  ...{ peer, op, bytes, median_us, group },
  ranks: 2,
});

test("a panel holds the best of all groups by size; operations without sizes have none", () => {
  const panels = panelsOf([
    line("mpich", "allreduce", 16, 3),
    line("mpich", "allreduce", 4, 2),
    line("mpich", "allreduce", 4, 1, "near"),
    line("mlsl-processes", "broadcast", 4, 5),
    line("mpich", "barrier", 0, 1),
  ]);
  assert.deepEqual(panels, [
    {
      name: "allreduce, 2 ranks",
      curves: [
        {
          peer: "mpich",
          points: [
            [4, 1],
            [16, 3],
          ],
        },
      ],
    },
    { name: "broadcast, 2 ranks", curves: [{ peer: "mlsl-processes", points: [[4, 5]] }] },
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
  for (const text of ["allreduce, 2 ranks", "mpich", "mlsl-processes"]) {
    assert.ok(svg.includes(`>${text}<`), text);
  }
  assert.ok(!svg.includes("ideal"));
  assert.match(svg, /stroke="#d7263d" stroke-width="3\.5"/);
});
