import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import { parseChoiceTable } from "../schedules/choice/parseChoiceTable.js";
import { tuneWorkers } from "./tuneWorkers.js";

const script = fileURLToPath(new URL("../bench/rankMain.js", import.meta.url));

function leftFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("mlsl-tune-"));
}

test("progress workers are measured by a job of their own, which leaves nothing", async () => {
  const before = leftFolders();
  const workers = await tuneWorkers({ script, progressWorkers: 1, budgetMs: 1 });
  assert.deepEqual(parseChoiceTable({ version: 1, entries: [], workers }).workers, workers);
  // Orders of magnitude, on whatever machine: not a constant, and in the right units.
  assert.ok(workers.overheadMs < 1, `${workers.overheadMs} ms`);
  assert.ok(workers.bandwidthGBps > 0.01 && workers.bandwidthGBps < 1000);
  assert.deepEqual(leftFolders(), before);
});

test("what cannot be launched is refused, and leaves nothing", async () => {
  const before = leftFolders();
  const options = { script: `${script}.none`, progressWorkers: 1, budgetMs: 1 };
  await assert.rejects(tuneWorkers(options), LaunchRefusedError);
  assert.deepEqual(leftFolders(), before);
});
