import assert from "node:assert/strict";
import { test } from "node:test";
import { AllreducePrograms, chooseAllreduce } from "./allreduce.js";

const LINK = { latencyMs: 0.018, overheadMs: 0.002, bandwidthGBps: 1.25, windowBytes: 125000 };

function chosen(ranks: number, count: number, slackMs: number): string {
  return chooseAllreduce({ ranks, count, slackMs }, LINK).name;
}

test("what is waited for takes few rounds, what has time few bytes", () => {
  assert.equal(chosen(16, 64, 0), "recursiveDoubling");
  assert.equal(chosen(16, 64, 1000), "recursiveDoubling");
  assert.equal(chosen(16, 10000, 0), "recursiveDoubling");
  assert.notEqual(chosen(16, 10000, 1000), "recursiveDoubling");
  const large = chooseAllreduce({ ranks: 16, count: 1e8, slackMs: 1e5 }, LINK);
  assert.equal(large.cost.sentCount, (2 * 15 * 1e8) / 16);
});

test("it takes its rounds and bytes, and lasts a window longer for each round", () => {
  const names = ["ring"] as const;
  const ring = chooseAllreduce({ ranks: 4, count: 250000, slackMs: 0, names }, LINK);
  // 6 rounds; 1.5 MB at 1.25 GB/s; 0.1 ms to a window.
  assert.ok(Math.abs(ring.occupiesMs - (6 * 0.002 + 1.2)) < 1e-9);
  assert.ok(Math.abs(ring.lastsMs - (6 * 0.12 + 1.2)) < 1e-9);
});

test("more ranks than the registry's algorithms take go in two levels, or on a torus", () => {
  assert.match(chosen(9600, 1e6, 0), /^(twoLevel|torus)/);
  const names = ["halvingDoubling"] as const;
  assert.throws(() => chooseAllreduce({ ranks: 9600, count: 1, slackMs: 0, names }, LINK), {
    name: "RangeError",
    message: /9600 ranks: halvingDoubling take up to 1024/,
  });
});

test("messages of one length share their programs by rank", () => {
  const programs = new AllreducePrograms({ ranks: 4, chunkBytes: 1024, link: LINK });
  const choice = programs.choice(4096, 10);
  assert.equal(programs.program(choice, 4096, 1), programs.program(choice, 4096, 1));
  assert.notEqual(programs.program(choice, 4096, 1), programs.program(choice, 4096, 2));
  assert.notEqual(programs.program(choice, 4096, 1), programs.program(choice, 8192, 1));
});
