// Steps of optimizers, compiled and plain.
import assert from "node:assert/strict";
import { testBoth } from "./fixtures/bench.js";
import { sequence } from "./fixtures/numbers.js";

testBoth("momentumUpdate: three steps with a constant gradient have a closed form", (bench) => {
  // first: 1, 1.5, 1.75; value: -1, -2.5, -4.25. All exact in float32.
  const count = 5;
  const [value, gradient, first] = [0, 1, 0].map((x) => bench.put(new Float32Array(count).fill(x)));
  const call = { value: value!, newValue: value!, gradient: gradient!, count, step: -1 };
  for (let i = 0; i < 3; i++) {
    const state = { first: first!, newFirst: first!, decays: [0.5, 0] } as const;
    bench.calls.update("momentumUpdate", { ...call, ...state });
  }
  assert.deepEqual([...bench.get(first!, count)], Array(count).fill(1.75));
  assert.deepEqual([...bench.get(value!, count)], Array(count).fill(-4.25));
  return [];
});

for (const kernel of ["descentUpdate", "momentumUpdate", "adamUpdate"] as const) {
  for (const nesterov of [false, true]) {
    testBoth(`${kernel}, Nesterov's form ${nesterov}`, (bench) => {
      const count = 11;
      const put = (seed: number): number => bench.put(sequence(count, seed));
      const out = (): number => bench.put(new Float32Array(count));
      const results = { newValue: out(), newFirst: out(), newSecond: out() };
      const second = bench.put(sequence(count, 4).map((value) => value * value));
      bench.calls.update(kernel, {
        ...{ value: put(1), gradient: put(2), first: put(3), second, count, ...results },
        ...{ step: -0.1, decays: [0.9, 0.99], corrections: [0.5, 0.25], epsilon: 1e-7, nesterov },
      });
      return Object.values(results).map((address) => bench.get(address, count));
    });
  }
}
