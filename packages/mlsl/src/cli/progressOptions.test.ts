import assert from "node:assert/strict";
import { test } from "node:test";
import { Command } from "commander";
import { progressAffinityOption, progressWorkersOption } from "./progressOptions.js";

function parse(args: readonly string[]): Record<string, unknown> {
  const command = new Command()
    .addOption(progressWorkersOption())
    .addOption(progressAffinityOption())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  return command.parse(args, { from: "user" }).opts();
}

test("workers are a number or auto, cores a list", () => {
  assert.deepEqual(parse([]), { progressWorkers: 0 });
  assert.equal(parse(["--progress-workers", "0"]).progressWorkers, 0);
  assert.equal(parse(["--progress-workers", "auto"]).progressWorkers, "auto");
  assert.deepEqual(parse(["--progress-affinity", "2,4-6"]).progressAffinity, [2, 4, 5, 6]);
});

test("anything else is refused with what would be right", () => {
  assert.throws(() => parse(["--progress-workers", "-1"]), /whole number from 0, or "auto"/);
  assert.throws(() => parse(["--progress-workers", "some"]), /whole number from 0, or "auto"/);
  assert.throws(() => parse(["--progress-affinity", "all"]), /numbers and ranges/);
});
