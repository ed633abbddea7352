import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRun } from "./fixtures/runs.js";
import { drawLosses } from "./lossChart.js";

test("the picture has both curves over steps and over time", () => {
  const losses = [
    [2, 1],
    [0.5, 0.25],
  ];
  const few = makeRun({ ranks: 1, ms: [2000, 2000], losses });
  const many = makeRun({ ranks: 2, ms: [1000, 1000], losses });
  const svg = drawLosses([few, many]);
  assert.match(svg, /^<svg .*<\/svg>\s*$/s);
  for (const text of ["1 rank", "2 ranks", "step", "seconds", "Loss of lenet"]) {
    assert.ok(svg.includes(text), text);
  }
  for (const color of ["#f0a53a", "#1f4e8c"]) {
    const lines = svg.match(new RegExp(`<path[^>]*fill="none"[^>]*stroke="${color}"`, "g"));
    assert.ok((lines?.length ?? 0) >= 2, `${lines?.length} lines in ${color}`);
  }
});
