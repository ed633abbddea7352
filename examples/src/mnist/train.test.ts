/** The training as a user starts it, without a launcher. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("train.js", import.meta.url));

test("started by node it trains on one rank, and the loss falls", () => {
  const args = [SCRIPT, "--net", "mlp", "--limit", "1024", "--epochs", "3"];
  // Ten times what it takes on an idle machine.
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: 60_000,
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  assert.match(stdout, /^mlp, 1 rank: 1024 digits to learn from, 128 a step$/m);
  const losses = Array.from(stdout.matchAll(/loss (\S+),/g), ([, loss]) => Number(loss));
  assert.equal(losses.length, 3);
  assert.ok((losses[2] as number) < 0.9 * (losses[0] as number), losses.join(", "));
  assert.match(
    stdout,
    / % of the test digits are read correctly; the ranks' weights are bit-equal/,
  );
});
