import assert from "node:assert/strict";
import { test } from "node:test";
import { localRanks } from "../../testing/localJob.js";
import { LeftGroups } from "./leftGroups.js";

test("memory is given back once, when the last rank has left, on each rank that asks", () => {
  const segments = localRanks({ ranks: 3 }).map(({ segment }) => segment);
  const left = segments[0]!.allocateBytes(64);
  segments[0]!.words.fill(0, left / 4, left / 4 + 16);
  const all = segments.map((segment) => new LeftGroups(segment));
  const freed = [0, 0, 0];
  const leave = (rank: number) => {
    all[rank]!.leave({ left, ranks: 3, free: () => void freed[rank]!++ });
  };
  const sweep = () => {
    for (const groups of all) groups.sweep();
  };
  leave(2);
  leave(0);
  sweep();
  assert.deepEqual(freed, [0, 0, 0]);
  leave(1);
  assert.deepEqual(freed, [0, 1, 0]);
  sweep();
  sweep();
  assert.deepEqual(freed, [1, 1, 1]);
});
