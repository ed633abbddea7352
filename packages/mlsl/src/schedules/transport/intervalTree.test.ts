import assert from "node:assert/strict";
import { test } from "node:test";
import { ceilLog2 } from "./fold.js";
import { treePlace } from "./intervalTree.js";

test("parents and children agree, subtrees are intervals, children at most log2 n", () => {
  for (let ranks = 1; ranks <= 40; ranks++) {
    for (let root = 0; root < ranks; root++) {
      let edges = 0;
      for (let rank = 0; rank < ranks; rank++) {
        const { parent, own, children } = treePlace(rank, ranks, root);
        assert.equal(parent === undefined, rank === root);
        assert.ok(own.first <= rank && rank < own.end);
        const held = children.reduce((sum, { first, end }) => sum + end - first, 1);
        assert.equal(held, own.end - own.first);
        for (const child of children) {
          const there = treePlace(child.root, ranks, root);
          assert.equal(there.parent, rank);
          assert.deepEqual(there.own, child);
        }
        assert.ok(children.length <= ceilLog2(ranks));
        edges += children.length;
      }
      assert.equal(edges, ranks - 1);
    }
  }
});

test("a power of two of ranks gives the binomial tree", () => {
  const { children } = treePlace(0, 16, 0);
  assert.deepEqual(
    children.map(({ root, first, end }) => [root, first, end]),
    [
      [8, 8, 16],
      [4, 4, 8],
      [2, 2, 4],
      [1, 1, 2],
    ],
  );
});
