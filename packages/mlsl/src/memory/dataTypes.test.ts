import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DATA_TYPES,
  type DataType,
  dataTypeInfo,
  dataTypeOf,
  type ElementArray,
  viewOf,
} from "./dataTypes.js";

test("views have the type, place and count that were asked for", () => {
  for (const { name, byteLength } of DATA_TYPES) {
    const view = viewOf(name, new ArrayBuffer(128), 16, 5);
    assert.equal(dataTypeOf(view).name, name);
    assert.deepEqual([view.byteOffset, view.length], [16, 5]);
    assert.equal(view.BYTES_PER_ELEMENT, byteLength);
    assert.equal(view.byteLength, 5 * byteLength);
  }
});

test("codes stand for types in memory that others read: they never change", () => {
  const codes = Object.fromEntries(DATA_TYPES.map(({ name, code }) => [name, code]));
  assert.deepEqual(codes, {
    uint8: 1,
    int32: 2,
    float32: 3,
    float64: 4,
    int8: 5,
    int16: 6,
    uint16: 7,
    uint32: 8,
    int64: 9,
    uint64: 10,
    float16: 11,
    bfloat16: 12,
  });
});

test("the family of a type is that of its name", () => {
  for (const { name, family } of DATA_TYPES) assert.ok(name.includes(family), name);
});

test("a native float16 array is float16 where Node.js has one, and unknown elsewhere", () => {
  const { Float16Array: Native } = globalThis as {
    Float16Array?: new (length: number) => ElementArray;
  };
  const array = Native === undefined ? new DataView(new ArrayBuffer(8)) : new Native(4);
  const names = DATA_TYPES.flatMap(({ name }) => {
    try {
      return dataTypeOf(array as ElementArray).name === name ? [name] : [];
    } catch (error) {
      assert.match(String(error), /Cannot communicate \[object DataView\]/);
      return [];
    }
  });
  assert.deepEqual(names, Native === undefined ? [] : ["float16"]);
});

test("what carries no data type is refused by name", () => {
  const clamped = new Uint8ClampedArray(1) as unknown as ElementArray;
  assert.throws(() => dataTypeOf(clamped), /Uint8ClampedArray.*expected one of Int8Array.*View/);
  assert.throws(() => dataTypeInfo("float8" as DataType), /Unknown data type "float8"/);
  assert.throws(() => dataTypeInfo("toString" as DataType), /Unknown data type "toString"/);
});
