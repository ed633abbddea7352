import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { csvHeader, csvRow } from "../bench/csv.js";
import { exampleLine } from "../bench/fixtures/exampleLine.js";
import { loadCharts } from "../bench/plot.js";
import { renderHeader, renderLine } from "../bench/table.js";
import { BenchOutput, checkOutput, type OutputOptions } from "./benchOutput.js";

const folder = mkdtempSync(join(tmpdir(), "mlsl-bench-"));
after(() => rmSync(folder, { recursive: true }));

const PLAIN: OutputOptions = {
  ...{ types: false, algorithms: false, json: false },
  ...{ csv: undefined, plot: undefined, tune: undefined },
};
const LINES = [2, 4].map((ranks) => exampleLine({ ranks, algorithm: "direct" }));

const WORKERS = { overheadMs: 0.002, bandwidthGBps: 15 };

function printed(options: Partial<OutputOptions>): string[] {
  const texts: string[] = [];
  const output = new BenchOutput({ ...PLAIN, ...options }, (text) => texts.push(text));
  for (const line of LINES) output.add(JSON.stringify(line));
  output.finish(WORKERS);
  return texts;
}

test("the terminal gets a table with heads for each number of ranks, lines of JSON, or CSV", () => {
  const table = LINES.flatMap((line) => [renderHeader(line, PLAIN), renderLine(line, PLAIN)]);
  assert.deepEqual(printed({}), table);
  assert.deepEqual(
    printed({ json: true }),
    LINES.map((line) => JSON.stringify(line)),
  );
  assert.deepEqual(printed({ csv: "-" }), [csvHeader(), ...LINES.map(csvRow)]);
});

test("files get all results", async () => {
  const path = (name: string): string => join(folder, name);
  const plot = { path: path("out.svg"), charts: await loadCharts() };
  const texts = printed({ csv: path("out.csv"), plot, tune: path("out.json") });
  assert.equal(texts.length, 4);
  const read = (name: string): string => readFileSync(path(name), "utf8");
  assert.equal(read("out.csv"), `${[csvHeader(), ...LINES.map(csvRow)].join("\n")}\n`);
  assert.match(read("out.svg"), /^<svg .*<\/svg>$/s);
  assert.deepEqual(JSON.parse(read("out.json")), {
    version: 1,
    entries: [{ kind: "allreduce", algorithm: "direct" }],
    workers: WORKERS,
  });
});

test("where nothing can be written is said before anything is measured", () => {
  const existing = join(folder, "existing");
  writeFileSync(existing, "");
  checkOutput("CSV", existing);
  checkOutput("CSV", join(folder, "new"));
  assert.throws(
    () => checkOutput("CSV", folder),
    /^LaunchRefusedError: Cannot write CSV to ".*": it is a folder$/,
  );
  assert.throws(
    () => checkOutput("a plot", join(folder, "none", "x.svg")),
    /Cannot write a plot to ".*x.svg": an existing folder that can be written is expected$/,
  );
});
