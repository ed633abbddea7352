import assert from "node:assert/strict";
import { test } from "node:test";
import { ceilLog2 } from "./fold.js";
import { twoTrees } from "./twoTrees.js";

/** The nodes of a tree from left to right, and how deep it goes. */
function walk(which: 0 | 1, nodes: number): { order: number[]; depth: number } {
  const order: number[] = [];
  let depth = 0;
  const visit = (node: number | undefined, parent: number | undefined, level: number): void => {
    if (node === undefined) return;
    const place = twoTrees(node, nodes)[which];
    assert.equal(place.parent, parent);
    depth = Math.max(depth, level);
    visit(place.lower, node, level + 1);
    order.push(node);
    visit(place.upper, node, level + 1);
  };
  visit(0, undefined, 0);
  return { order, depth };
}

const ALL_NODES = [...Array.from({ length: 130 }, (_, i) => i + 1), 1023, 1024];

test("both trees hold every node once, in order, in about log2 n levels", () => {
  for (const nodes of ALL_NODES) {
    for (const which of [0, 1] as const) {
      const { order, depth } = walk(which, nodes);
      assert.deepEqual(
        order,
        Array.from({ length: nodes }, (_, node) => node),
      );
      assert.ok(depth <= ceilLog2(nodes) + 1, `${nodes} nodes, ${depth} levels`);
    }
  }
});

test("no node but the top has children in both trees", () => {
  for (const nodes of ALL_NODES) {
    for (let node = 1; node < nodes; node++) {
      const inner = twoTrees(node, nodes).filter(
        ({ lower, upper }) => lower !== undefined || upper !== undefined,
      );
      assert.ok(inner.length <= 1, `node ${node} of ${nodes}`);
    }
  }
});

test("seven nodes are as drawn", () => {
  const trees = [4, 2, 6, 3, 1, 5].map((node) => twoTrees(node, 7));
  assert.deepEqual(
    trees.slice(0, 3).map(([first]) => first),
    [
      { parent: 0, lower: 2, upper: 6 },
      { parent: 4, lower: 1, upper: 3 },
      { parent: 4, lower: 5, upper: undefined },
    ],
  );
  assert.deepEqual(
    trees.slice(3).map(([, second]) => second),
    [
      { parent: 0, lower: 1, upper: 5 },
      { parent: 3, lower: undefined, upper: 2 },
      { parent: 3, lower: 4, upper: 6 },
    ],
  );
});
