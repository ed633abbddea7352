import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES, dataTypeInfo, type ElementArray, viewOf } from "../memory/dataTypes.js";
import { bytesOf, combined, contribution, elementText, PERIOD, Wave } from "./pattern.js";
import { OPERATORS } from "./points.js";

/** Counts around a tile's end, in every width. */
const COUNTS = [0, 1, 63, 64, 65, 2047, 2049, 16384, 16385, 40000];

function elements(name: (typeof DATA_TYPES)[number]["name"], count: number): ElementArray {
  const { byteLength } = dataTypeInfo(name);
  return viewOf(name, new SharedArrayBuffer(count * byteLength + 8), 8, count);
}

test("a wave writes the elements that it then finds, in every type, count and phase", () => {
  for (const type of DATA_TYPES) {
    const wave = new Wave(type, (phase) => contribution(5, phase, undefined));
    for (const count of COUNTS) {
      for (const index of [0, 1, 63, 64, 100]) {
        const array = elements(type.name, count);
        wave.write(bytesOf(array), index);
        assert.equal(wave.firstWrong(bytesOf(array), index), -1);
        for (const i of [0, 1, 16383, count - 1]) {
          if (i < 0 || i >= count) continue;
          assert.equal(elementText(array, i), String(6 + ((i + index) % PERIOD)));
        }
      }
    }
  }
});

test("one wrong element is found at its index", () => {
  for (const type of DATA_TYPES) {
    const wave = new Wave(type, (phase) => contribution(0, phase, undefined));
    const array = elements(type.name, 20000);
    for (const at of [0, 1, 8191, 16384, 19999]) {
      const bytes = bytesOf(array);
      wave.write(bytes, 7);
      bytes[(at + 1) * type.byteLength - 1]! ^= 1;
      assert.equal(wave.firstWrong(bytes, 7), at, type.name);
    }
    assert.equal(wave.text(3), "4");
  }
});

test("combined is the fold of the contributions", () => {
  const results = OPERATORS.map((reduce) =>
    combined(reduce, { ranks: 3, phase: 4, family: "float" }),
  );
  // 5, 6, 7; of a product the bits 0, 1, 2 of 4, so 1, 1, 2.
  assert.deepEqual(results, [18, 6, 5, 7, 2, 5 & 6 & 7, 5 | 6 | 7, 5 ^ 6 ^ 7]);
  assert.equal(combined("average", { ranks: 2, phase: 0, family: "float" }), 1.5);
  assert.equal(combined("average", { ranks: 2, phase: 0, family: "int" }), 1);
});
