/** The demo as a user starts it, on few digits. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mlsl-demo-"));
after(() => rmSync(folder, { recursive: true }));

function demo(...args: string[]) {
  // A minute: more than ten times what the trainings below take on an idle machine.
  return spawnSync(process.execPath, [MAIN, ...args], {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
  });
}

/** The keys that scripts rely on. */
const KEYS = [
  "ranks",
  "imagesPerSecond",
  "speedUp",
  "testAccuracy",
  "bitEqual",
  "maxLossDifference",
  "exposedMsPerStep",
  "seconds",
];

for (const form of ["processes", "threads"]) {
  test(`trains on 1 rank and on 2 ${form} with the same losses`, () => {
    const args = ["--epochs", "1", "--limit", "512", "--json", "--svg", `${form}.svg`];
    // The nets take turns, too: the small one takes less time.
    const threads = form === "threads" ? ["--threads", "--net", "mlp"] : [];
    const { status, stdout, stderr } = demo(...args, ...threads);
    assert.equal(stderr, "");
    assert.equal(status, 0);
    const lines = stdout.trimEnd().split("\n");
    assert.equal(lines.filter((line) => line.includes(" epoch 1  loss")).length, 2);
    const result = JSON.parse(lines.at(-1) ?? "");
    assert.deepEqual(Object.keys(result), KEYS);
    assert.equal(result.ranks, 2);
    assert.equal(result.bitEqual, true);
    // The steps are the same to the bit; only the means of their losses are rounded differently.
    assert.ok(result.maxLossDifference < 1e-6, `losses differ by ${result.maxLossDifference}`);
    assert.match(stdout, /The final weights of 1 and 2 ranks are the same to the bit\.$/m);
    assert.ok(result.speedUp > 0 && result.seconds > 0 && result.exposedMsPerStep > 0);
    for (const key of ["imagesPerSecond", "testAccuracy"]) {
      assert.equal(result[key].length, 2);
      for (const value of result[key]) assert.ok(Number.isFinite(value) && value >= 0, key);
    }
    assert.match(readFileSync(join(folder, `${form}.svg`), "utf8"), /^<svg /);
  });
}

test("bad options end with 2 before anything is started", () => {
  const { status, stdout, stderr } = demo("--net", "vgg");
  assert.equal(status, 2);
  assert.equal(stdout, "");
  assert.match(stderr, /Allowed choices are lenet, mlp/);
});

test("help is no error", () => {
  const { status, stdout } = demo("--help");
  assert.equal(status, 0);
  assert.match(stdout, /^Usage: demo/);
});
