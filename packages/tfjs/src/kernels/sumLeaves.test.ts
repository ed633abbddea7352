import assert from "node:assert/strict";
import { test } from "node:test";
import { treeLeaves } from "./batchTree.js";
import { compiledKernels } from "./compiled.js";
import { Bench } from "./fixtures/bench.js";
import { sequence } from "./fixtures/numbers.js";
import { treeSum } from "./fixtures/trees.js";
import { sumLeaves, waitingByteLength } from "./sumLeaves.js";

test("The leaves' sums add up to the tree's, in the room asked for and nowhere else", () => {
  for (const samples of [1, 16, 17, 33, 64, 130]) {
    for (const floats of [1, 5, 16, 21]) {
      const bench = new Bench(compiledKernels);
      const values = sequence(samples, floats);
      const out = bench.put(new Float32Array(floats));
      const waitingBytes = waitingByteLength(floats, samples);
      const waiting = bench.put(new Float32Array(waitingBytes / 4));
      const fence = bench.put(new Float32Array(16).fill(7));
      const leaves = treeLeaves(samples);
      sumLeaves(bench.calls, leaves, { out, waiting, floats }, ({ start, step, count }, to) => {
        const leaf = Array.from({ length: count }, (_, i) => values[start + i * step]!);
        new Float32Array(bench.memory.buffer, to, floats).fill(treeSum(leaf));
      });
      assert.deepEqual([...bench.get(out, floats)], Array(floats).fill(treeSum([...values])));
      assert.ok(bench.get(fence, 16).every((x) => x === 7));
    }
  }
});
