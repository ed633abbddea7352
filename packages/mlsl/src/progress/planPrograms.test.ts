import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "./plan.js";
import {
  programOf,
  readTables,
  scratchBytesOf,
  tablesProgramOf,
  writeTables,
} from "./planPrograms.js";

const PLAN: Plan = {
  kind: "allreduce",
  fingerprint: [1, 2, 3, 4],
  details: "",
  rank: 1,
  ranks: 2,
  root: 0,
  count: 1000,
  typeCode: 3,
  elementBytes: 4,
  algorithm: "direct",
};

const TABLES = {
  sendCounts: [1, 2],
  sendOffsets: [3, 4],
  recvCounts: [5, 6],
  recvOffsets: [7, 8],
};

test("tables are found where they were written, by rank", () => {
  const plan: Plan = { ...PLAN, kind: "alltoallv", count: 0, tables: TABLES };
  const bytes = scratchBytesOf(plan);
  const buffer = new SharedArrayBuffer(64 + bytes);
  writeTables(buffer, 64, plan);
  const [other, own] = readTables(buffer, 64, 2);
  assert.deepEqual(own, TABLES);
  assert.deepEqual(other!.sendCounts, [0, 0]);
});

test("ranks give each other their tables", () => {
  const program = tablesProgramOf({ ...PLAN, kind: "alltoallv", tables: TABLES }, 65536);
  assert.deepEqual([...program.peers], [0, 0]);
  assert.deepEqual([...program.offsets], [8, 0]);
  assert.deepEqual([...program.counts], [8, 8]);
});

test("a named algorithm has its own program and scratch", () => {
  const ring = { ...PLAN, algorithm: "ring" };
  assert.equal(scratchBytesOf(ring), 0);
  assert.equal(scratchBytesOf({ ...PLAN, algorithm: "recursiveDoubling" }) > 0, true);
  assert.notDeepEqual(programOf(ring, 65536).kinds, programOf(PLAN, 65536).kinds);
});
