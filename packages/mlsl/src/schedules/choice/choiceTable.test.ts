import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChoiceTable, chooseAlgorithm } from "./choiceTable.js";

const TABLE: ChoiceTable = {
  version: 1,
  entries: [
    { kind: "allreduce", maxRanks: 2, algorithm: "direct" },
    { kind: "allreduce", minRanks: 9, maxBytes: 1000, algorithm: "doubleTree" },
    { kind: "allreduce", maxBytes: 1000, algorithm: "recursiveDoubling" },
    { kind: "allreduce", maxRanks: 64, algorithm: "ring" },
    { kind: "allreduce", maxRanks: 64, algorithm: "halvingDoubling" },
  ],
};

function choose(ranks: number, byteLength: number, inOrder = false): string {
  return chooseAlgorithm(TABLE, { kind: "allreduce", ranks, byteLength, inOrder });
}

test("the first entry that matches wins, and limits are inclusive", () => {
  assert.equal(choose(2, 5000), "direct");
  assert.equal(choose(3, 1000), "recursiveDoubling");
  assert.equal(choose(3, 1001), "ring");
  assert.equal(choose(8, 1000), "recursiveDoubling");
  assert.equal(choose(9, 1000), "doubleTree");
  assert.equal(choose(64, 1001), "ring");
});

test("algorithms that do not keep the order are passed over where it counts", () => {
  assert.equal(choose(3, 1001, true), "halvingDoubling");
  assert.equal(choose(2, 1001, true), "direct");
});

test("nothing that matches is an error that says what was asked", () => {
  assert.throws(
    () => choose(65, 1001),
    new RangeError(
      "Cannot choose algorithm: expected an entry for allreduce of 1001 bytes on 65 ranks, got " +
        "none among 5; end the table with entries without limits",
    ),
  );
  assert.throws(
    () => chooseAlgorithm(TABLE, { kind: "reduce", ranks: 2, byteLength: 0, inOrder: true }),
    /an entry for reduce in the order of the ranks of 0 bytes on 2 ranks/,
  );
});
