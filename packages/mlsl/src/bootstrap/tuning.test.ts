import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readTuning } from "./tuning.js";

test("a table is read from the file that is named, and none is none", () => {
  const folder = mkdtempSync(join(tmpdir(), "mlsl-tuning-"));
  try {
    const file = join(folder, "table.json");
    const table = { version: 1, entries: [{ kind: "allreduce", algorithm: "ring" }] };
    writeFileSync(file, JSON.stringify(table));
    assert.deepEqual(readTuning(file), table);
    assert.equal(readTuning(undefined), undefined);
    assert.equal(readTuning(""), undefined);
    writeFileSync(file, '{"version": 2}');
    assert.throws(() => readTuning(file), /MLSL_TUNING names, .*table\.json: /);
    assert.throws(() => readTuning(join(folder, "none.json")), /ENOENT/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
