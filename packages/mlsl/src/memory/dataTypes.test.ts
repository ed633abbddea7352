import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES, dataTypeInfo, dataTypeOf, type ElementArray, viewOf } from "./dataTypes.js";

test("views have the type, place and count that were asked for", () => {
  for (const { name, byteLength } of DATA_TYPES) {
    const view = viewOf(name, new ArrayBuffer(128), 16, 5);
    assert.equal(dataTypeOf(view).name, name);
    assert.deepEqual([view.byteOffset, view.length], [16, 5]);
    assert.equal(view.BYTES_PER_ELEMENT, byteLength);
  }
});

test("codes are distinct and not zero, which stands for no type", () => {
  const codes = DATA_TYPES.map(({ code }) => code);
  assert.equal(new Set([0, ...codes]).size, codes.length + 1);
});

test("what carries no data type is refused by name", () => {
  const clamped = new Uint8ClampedArray(1) as unknown as ElementArray;
  assert.throws(() => dataTypeOf(clamped), /Uint8ClampedArray.*expected a Uint8Array/);
  assert.throws(() => dataTypeInfo("float8" as "float32"), /Unknown data type "float8"/);
});
