/** What jobs on one host need of the network: nothing. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../bin/mlsl.js", import.meta.url));
const SCRIPT = fileURLToPath(new URL("./fixtures/splitMain.js", import.meta.url));

/** Runs a command in a network of its own, in which there is a loopback interface, and it is down. */
const ALONE = ["--net", "--map-root-user"];

/** Whether networks can be made here. */
const CAN_BE_ALONE: boolean = spawnSync("unshare", [...ALONE, "true"]).status === 0;

for (const options of [[], ["--threads"]]) {
  const form = options.length > 0 ? "threads" : "processes";
  test(`CCL-2 a job on one host runs where there is no network, ${form}`, (t) => {
    const words = [PROGRAM, "run", "-n", "3", ...options, SCRIPT];
    if (!CAN_BE_ALONE) t.diagnostic("networks cannot be made here: run with the one there is");
    const { status, stdout, stderr } = CAN_BE_ALONE
      ? spawnSync("unshare", [...ALONE, process.execPath, ...words], { encoding: "utf8" })
      : spawnSync(process.execPath, words, { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    const lines = stdout.trim().split("\n").sort();
    assert.deepEqual(lines, ["[0] rank 1 of 2", "[1] no group", "[2] rank 0 of 2"]);
  });
}
