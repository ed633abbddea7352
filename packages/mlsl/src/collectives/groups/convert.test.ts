import assert from "node:assert/strict";
import { test } from "node:test";
import type { ElementArray } from "../../memory/dataTypes.js";
import { BFloat16View, Float16View } from "../../memory/halfViews.js";
import { KERNELS, localJob } from "../../testing/localJob.js";

const VALUES = [0, -0, 1, 1.0009765625, 1e-8, 65504, 70000, -2.71875, Number.POSITIVE_INFINITY];

for (const kernels of KERNELS) {
  test(`conversions in the segment and outside agree with the views, ${kernels}`, () => {
    const [group] = localJob({ ranks: 1, kernels });
    const world = group!;
    for (const type of ["float16", "bfloat16"] as const) {
      const source = world.allocate("float32", VALUES.length);
      source.set(VALUES);
      const halves = world.allocate(type, VALUES.length);
      world.convert(source, halves);
      const View = type === "float16" ? Float16View : BFloat16View;
      const outside = new View(VALUES.length);
      world.convert(Float32Array.from(VALUES), outside);
      assert.deepEqual(Array.from(halves.bits), Array.from(View.from(VALUES).bits));
      assert.deepEqual(Array.from(outside.bits), Array.from(halves.bits));
      world.convert(halves, source);
      assert.deepEqual(Array.from(source), Array.from(halves.toFloat32()));
      const back = new Float32Array(VALUES.length);
      world.convert(outside, back);
      assert.deepEqual(Array.from(back), Array.from(source));
    }
  });
}

test("what cannot be converted is refused", () => {
  const [world] = localJob({ ranks: 1 });
  const half = new Float16View(4);
  const floats = new Float32Array(4);
  const wrong: [ElementArray, ElementArray, RegExp][] = [
    [floats, new Float32Array(4), /Cannot convert: one of float16/],
    [half, new BFloat16View(4), /Cannot convert: one of float16/],
    [half, new Float32Array(5), /equal counts are expected, got 4 float16 and 5 float32/],
    [new Float16View(floats.buffer, 0, 4), floats, /must not overlap/],
  ];
  for (const [source, target, message] of wrong) {
    assert.throws(() => world!.convert(source, target), message);
  }
});
