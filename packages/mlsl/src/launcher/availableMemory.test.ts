import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cgroupHeadroom,
  parseMemAvailable,
  readAvailableMemory,
  smallestOf,
} from "./availableMemory.js";

test("MemAvailable is found and turned into bytes", () => {
  assert.equal(parseMemAvailable("MemTotal: 9 kB\nMemAvailable:   1000 kB\n"), 1_024_000);
  assert.equal(parseMemAvailable("MemTotal: 9 kB\n"), undefined);
});

test("a control group leaves its limit less what is used and not idle", () => {
  assert.equal(cgroupHeadroom("1000", "600", "anon 1\ninactive_file 100\n"), 500);
  assert.equal(cgroupHeadroom("1000", "600", "inactive_file 7\ntotal_inactive_file 100\n"), 407);
  assert.equal(cgroupHeadroom("1000", "600", ""), 400);
  assert.equal(cgroupHeadroom("1000", "1200", ""), 0);
  assert.equal(cgroupHeadroom("max", "600", ""), undefined);
});

test("the smaller limit counts, and an unknown one does not", () => {
  assert.equal(smallestOf({ machine: 5, cgroup: 3 }), 3);
  assert.equal(smallestOf({ machine: 5, cgroup: undefined }), 5);
  assert.equal(smallestOf({ machine: undefined, cgroup: undefined }), Number.POSITIVE_INFINITY);
});

test("this machine has memory", () => {
  assert.ok(smallestOf(readAvailableMemory()) > 1024 * 1024);
});
