import assert from "node:assert/strict";
import { test } from "node:test";
import { parseChoiceTable } from "../../schedules/choice/parseChoiceTable.js";
import { allgatherOperation } from "../arguments/moves.js";
import { allreduceOperation } from "../arguments/reductions.js";
import { chosen, DEFAULT_CHOICES, withDefaults } from "./choice.js";

const table = withDefaults(
  parseChoiceTable({
    version: 1,
    entries: [
      { kind: "allreduce", maxRanks: 4, maxBytes: 4096, algorithm: "recursiveDoubling" },
      { kind: "allreduce", minRanks: 3, algorithm: "ring" },
      { kind: "allgather", maxBytes: 800, algorithm: "bruck" },
    ],
  }),
);

function allreduceOf(count: number, ranks: number): string {
  const array = new Float32Array(count);
  return chosen(allreduceOperation(array, array), ranks, table).algorithm.name;
}

test("the first entry that fits decides, by ranks and bytes", () => {
  assert.equal(allreduceOf(1024, 2), "recursiveDoubling");
  assert.equal(allreduceOf(1025, 2), "direct");
  assert.equal(allreduceOf(1025, 3), "ring");
  assert.equal(allreduceOf(1, 5), "ring");
});

test("bytes of an all-gather are those of all blocks", () => {
  const gather = (count: number) => {
    const operation = allgatherOperation(new Float64Array(count), new Float64Array(2 * count), {
      rank: 0,
      ranks: 2,
    });
    return chosen(operation, 2, table).algorithm.name;
  };
  assert.equal(gather(50), "bruck");
  assert.equal(gather(51), "direct");
});

test("what messages cannot carry out exactly goes directly", () => {
  const array = new Int32Array(4);
  const average = allreduceOperation(array, array, { op: "average", rounding: "floor" });
  assert.equal(chosen(average, 4, table).algorithm.name, "direct");
});

test("without a table everything goes directly, and operations are left alone", () => {
  const array = new Float32Array(4);
  const operation = allreduceOperation(array, array);
  assert.equal(chosen(operation, 4, DEFAULT_CHOICES), operation);
});
