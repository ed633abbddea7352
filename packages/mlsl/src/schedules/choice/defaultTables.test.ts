import assert from "node:assert/strict";
import { test } from "node:test";
import { findAlgorithm, TRANSPORT_KINDS } from "../transport/registry.js";
import { chooseAlgorithm } from "./choiceTable.js";
import { MESSAGE_CHOICES, SHARED_MEMORY_CHOICES } from "./defaultTables.js";

const RANKS = [1, 2, 3, 4, 7, 8, 48, 64, 65, 1023, 1024];
const BYTES = [0, 1, 2048, 2049, 65536, 524289, Number.MAX_SAFE_INTEGER];

test("both tables answer every question, also where the order counts", () => {
  for (const kind of TRANSPORT_KINDS) {
    for (const ranks of RANKS) {
      for (const byteLength of BYTES) {
        for (const inOrder of [false, true]) {
          const question = { kind, ranks, byteLength, inOrder };
          assert.equal(chooseAlgorithm(SHARED_MEMORY_CHOICES, question), "direct");
          const { keepsOrder } = findAlgorithm(kind, chooseAlgorithm(MESSAGE_CHOICES, question));
          assert.ok(keepsOrder || !inOrder);
        }
      }
    }
  }
});

test("short messages take few rounds, long ones few bytes", () => {
  const choose = (kind: "allreduce" | "allgather", ranks: number, byteLength: number) =>
    chooseAlgorithm(MESSAGE_CHOICES, { kind, ranks, byteLength });
  assert.equal(choose("allreduce", 16, 8), "recursiveDoubling");
  assert.equal(choose("allreduce", 16, 100_000), "halvingDoubling");
  assert.equal(choose("allreduce", 16, 100_000_000), "ring");
  assert.equal(choose("allreduce", 256, 100_000_000), "halvingDoubling");
  assert.equal(choose("allgather", 16, 100_000), "recursiveDoubling");
  assert.equal(choose("allgather", 17, 1000), "bruck");
  assert.equal(choose("allgather", 17, 100_000), "ring");
});
