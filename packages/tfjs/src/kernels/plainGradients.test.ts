// Gates and spreads, compiled and plain.
import assert from "node:assert/strict";
import { testBoth } from "./fixtures/bench.js";

testBoth("gateGradient: open within the bounds, bounds included", (bench) => {
  const x = bench.put(new Float32Array([-1, 0, 0.5, 6, 6.5, Number.NaN]));
  const dy = bench.put(new Float32Array(6).fill(3));
  const dx = bench.put(new Float32Array(6).fill(Number.NaN));
  bench.calls.gateGradient({ x, dy, dx }, 6, [0, 6]);
  assert.deepEqual([...bench.get(dx, 6)], [0, 3, 3, 3, 0, 0]);
  return [];
});

testBoth("spreadMiddle: every row of the middle is the scaled row", (bench) =>
  [1, 4, 7].map((inner) => {
    const x = bench.put(Float32Array.from({ length: 2 * inner }, (_, i) => i));
    const y = bench.put(new Float32Array(2 * 3 * inner).fill(Number.NaN));
    bench.calls.spreadMiddle(x, y, [2, 3, inner], 0.5);
    const result = bench.get(y, 2 * 3 * inner);
    for (let i = 0; i < result.length; i++) {
      const from = Math.floor(i / (3 * inner)) * inner + (i % inner);
      assert.equal(result[i], from / 2);
    }
    return result;
  }),
);
