import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleLine } from "./fixtures/exampleLine.js";
import { operationText, renderHeader, renderLine, sizeText } from "./table.js";

const PLAIN = { types: false, algorithms: false };

test("sizeText uses the largest unit that divides the size", () => {
  assert.deepEqual([0, 4, 1024, 1536, 65536, 1048576, 67108864].map(sizeText), [
    "0 B",
    "4 B",
    "1 KiB",
    "1536 B",
    "64 KiB",
    "1 MiB",
    "64 MiB",
  ]);
});

test("lines stand under their heads, with the columns that were asked for", () => {
  const line = exampleLine({ bytes: 65536, median_us: 2.5 });
  assert.equal(
    renderLine(line, PLAIN),
    "allreduce                  64 KiB       1.00       2.50      30.00       0.40" +
      "     26.20     26.20    50 ns",
  );
  for (const types of [false, true]) {
    for (const algorithms of [false, true]) {
      const [title, heads] = renderHeader(line, { types, algorithms }).split("\n");
      assert.equal(title, "mlsl-processes, 2 ranks, sync");
      const text = renderLine(line, { types, algorithms });
      assert.equal(text.length, heads!.length);
      assert.equal(text.includes("float32"), types);
      assert.equal(heads!.includes("algorithm"), algorithms);
    }
  }
});

test("an operator is named unless it is the sum, and nothing has no bandwidth", () => {
  assert.equal(operationText(exampleLine({ reduce: "sum" })), "allreduce");
  assert.equal(operationText(exampleLine({ reduce: "max" })), "allreduce max");
  const barrier = exampleLine({ op: "barrier", reduce: "", bytes: 0, algbw_GBps: 0 });
  assert.match(
    renderLine(barrier, PLAIN),
    /^barrier +0 B +1\.00 +2\.50 +30\.00 +0\.40 {21,}50 ns$/,
  );
});

test("a rank alone is named so and has no distance", () => {
  const [title, heads] = renderHeader(exampleLine({ ranks: 1 }), PLAIN).split("\n");
  assert.equal(title, "mlsl-processes, 1 rank, sync");
  assert.equal(renderLine(exampleLine({ ranks: 1, c2c_ns: 0 }), PLAIN).length, heads!.length);
  assert.doesNotMatch(renderLine(exampleLine({ ranks: 1, c2c_ns: 0 }), PLAIN), /ns/);
});
