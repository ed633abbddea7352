import assert from "node:assert/strict";
import { test } from "node:test";
import { csvHeader, csvRow } from "./csv.js";
import { exampleLine } from "./fixtures/exampleLine.js";

test("a row has every figure of a line under its name", () => {
  const line = exampleLine({});
  assert.deepEqual(csvHeader().split(",").sort(), Object.keys(line).sort());
  assert.equal(
    csvRow(line),
    "mlsl-processes,allreduce,float32,sum,default,sync,true,65536,2,9," +
      "1,2.5,30,26.2,26.2,0.4,2.4 2.5,50",
  );
});

test("what a barrier does not have stays empty", () => {
  const cells = csvRow(exampleLine({ op: "barrier", type: "", reduce: "", bytes: 0 })).split(",");
  assert.deepEqual(cells.slice(0, 5), ["mlsl-processes", "barrier", "", "", "default"]);
});
