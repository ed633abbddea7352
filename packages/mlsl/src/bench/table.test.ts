import assert from "node:assert/strict";
import { test } from "node:test";
import { renderHeader, renderLine, sizeText } from "./table.js";

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

test("lines stand under their heads", () => {
  const line = { peer: "mlsl", op: "allreduce", bytes: 65536, ranks: 2, iterations: 9 };
  const times = { min_us: 1, median_us: 2.5, p99_us: 30, algbw_GBps: 26.2, c2c_ns: 50 };
  const text = renderLine({ ...line, ...times });
  assert.equal(
    text,
    "allreduce     64 KiB        1.00        2.50       30.00     26.20       50 ns",
  );
  assert.equal(text.length, renderHeader().length);
});
