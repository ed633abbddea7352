import assert from "node:assert/strict";
import { test } from "node:test";
import { compare } from "./comparison.js";
import { makeRun } from "./fixtures/runs.js";
import { toJson, toTable } from "./summary.js";

const few = makeRun({ ranks: 1, ms: [2000], losses: [[1, 0.5]] });
const many = makeRun({ ranks: 2, ms: [1000], losses: [[1, 0.25]], bitEqual: false });

test("the JSON is one line with the figures of both", () => {
  const line = toJson(compare(few, many), 12.34);
  assert.ok(!line.includes("\n"));
  assert.deepEqual(JSON.parse(line), {
    ranks: 2,
    imagesPerSecond: [500, 1000],
    speedUp: 2,
    testAccuracy: [0.97, 0.97],
    bitEqual: false,
    maxLossDifference: 0.25,
    exposedMsPerStep: 1,
    seconds: 12.3,
  });
});

test("the table has a column for each", () => {
  const table = toTable(compare(few, many));
  const row = (name: string) => table.split("\n").find((line) => line.includes(name)) ?? "";
  assert.match(row("images/s"), / 500 +1000$/);
  assert.match(row("speed-up"), / 2\.00 x$/);
  assert.match(row("all ranks have"), / to the bit +NO$/);
  assert.match(table, /2\.5e-1\. The final weights of 1 and 2 ranks are the same to the bit\./);
});
