import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parseSeed, parseSeeds, Simulation } from "./simulateCommand.js";

const MLSL = fileURLToPath(new URL("../../bin/mlsl.js", import.meta.url));

function lines(...args: string[]): string[] {
  const output = execFileSync(process.execPath, [MLSL, "simulate", ...args], { encoding: "utf8" });
  return output.trim().split("\n");
}

test("mlsl simulate --seed says what the program is, what happens and what came of it", () => {
  const text = lines("--seed", "3", "--trace");
  assert.match(text[0]!, /^Seed 3: \d+ ranks, mode \w+, chunks of \d+ B, window of \d+ B$/);
  assert.ok(text.some((line) => /^0: \w+ \w+ in group \d+/.test(line)));
  assert.ok(text.some((line) => /^\d+\.\d{6} ms {2}rank \d+ starts request/.test(line)));
  assert.match(text.at(-1)!, /^All is right: \d+ requests done/);
});

test("mlsl simulate --json prints the same as data, the same again for the same seed", () => {
  const args = ["--seed", "3", "--trace", "--json"];
  const first = lines(...args);
  assert.deepEqual(lines(...args), first);
  const keys = first.map((line) => Object.keys(JSON.parse(line) as object)[0]);
  assert.deepEqual([...new Set(keys)], ["plan", "event", "result"]);
  const { result } = JSON.parse(first.at(-1)!) as { result: { seed: number; events: number } };
  assert.equal(result.seed, 3);
  assert.ok(result.events > 0);
});

test("many seeds come to one line, and both ends of the range are played", () => {
  const printed: string[] = [];
  const simulation = new Simulation(true, (text) => printed.push(text));
  assert.equal(simulation.playAll({ first: 5, last: 7 }), true);
  const { summary } = JSON.parse(printed[0]!) as { summary: Record<string, number> };
  assert.equal(printed.length, 1);
  assert.equal(summary.programs, 3);
  assert.equal(summary.failures, 0);
  assert.ok(summary.requestsDone! > 0);
});

test("seeds are whole numbers, and a range is two of them", () => {
  assert.equal(parseSeed("12"), 12);
  assert.deepEqual(parseSeeds("3..10"), { first: 3, last: 10 });
  for (const text of ["", "-1", "1.5", "x", "9999999999"]) {
    assert.throws(() => parseSeed(text), /whole number from 0/);
  }
  for (const text of ["3", "3..", "10..3", "1..2..3", "a..b"]) {
    assert.throws(() => parseSeeds(text), /like 1..1000/);
  }
  const both = spawnSync(process.execPath, [MLSL, "simulate", "--seed", "1", "--seeds", "1..2"]);
  assert.equal(both.status, 2);
});
