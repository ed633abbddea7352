import assert from "node:assert/strict";
import { test } from "node:test";
import { bestLines, tablesOf } from "./results.mjs";
import { renderTable, sizeText, threeDigits } from "./table.mjs";

test("sizes are written with the largest whole unit", () => {
  assert.deepEqual([0, 4, 1000, 1024, 65536, 1048576, 67108864].map(sizeText), [
    "0 B",
    "4 B",
    "1000 B",
    "1 KiB",
    "64 KiB",
    "1 MiB",
    "64 MiB",
  ]);
});

test("figures keep three digits", () => {
  assert.deepEqual([0.204, 9.99, 12.34, 123.4, 12345].map(threeDigits), [
    "0.20",
    "9.99",
    "12.3",
    "123",
    "12345",
  ]);
});

function render(lines) {
  const order = ["openmpi", "mlsl-processes", "ideal"];
  return tablesOf(bestLines(lines, 2), order).map(renderTable).join("");
}

const line = (peer, ranks, bytes, median_us) => ({
  ...{ peer, ranks, bytes, median_us },
  ...{ op: "allreduce", c2c_ns: 120 },
});

test("a table holds medians with distances, the ratio, and the part of the ideal", () => {
  const text = render([
    line("openmpi", 2, 4, 0.5),
    line("mlsl-processes", 2, 4, 0.4),
    line("ideal", 2, 4, 0.3),
    line("openmpi", 2, 1024, 100),
  ]);
  assert.equal(
    text,
    `#### allreduce, 2 ranks, cores far: best median, us (ns from core to core)

| size  |    openmpi | mlsl-processes | best rival | rival / ours |      ideal | of ideal |
| ----- | ---------: | -------------: | ---------: | -----------: | ---------: | -------: |
| 4 B   | 0.50 (120) |     0.40 (120) |    openmpi |         1.25 | 0.30 (120) |     75 % |
| 1 KiB |  100 (120) |                |    openmpi |              |            |          |
`,
  );
});

test("the time slices of ranks on one core are not shown as a distance", () => {
  const text = render([{ ...line("openmpi", 2, 4, 0.5), c2c_ns: 43980 }]);
  assert.match(text, /\| 4 B {2}\| 0\.50 \(>999\) \|/);
});

test("with more ranks than cores no distance is shown, without limits no ideal", () => {
  const text = render([line("openmpi", 4, 0, 30), line("mlsl-processes", 4, 0, 20)]);
  assert.equal(
    text,
    `#### allreduce, 4 ranks, more ranks than cores: best median, us

| size | openmpi | mlsl-processes | best rival | rival / ours |
| ---- | ------: | -------------: | ---------: | -----------: |
| -    |    30.0 |           20.0 |    openmpi |         1.50 |
`,
  );
});
