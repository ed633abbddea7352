import assert from "node:assert/strict";
import { test } from "node:test";
import type { ElementArray } from "../../memory/dataTypes.js";
import { BFloat16View } from "../../memory/halfViews.js";
import { defineOperator } from "../operations/operators.js";
import { reduceByUser } from "./userReduction.js";

const DIGITS = defineOperator<Float64Array>("digits", (all, values) => {
  values.forEach((value, i) => {
    all[i] = all[i]! * 10 + value;
  });
});

test("sources are combined in their order, and every target gets the result", () => {
  const sources = [Float64Array.of(1, 4), Float64Array.of(2, 5), Float64Array.of(3, 6)];
  const targets = [new Float64Array(2), sources[1]!];
  reduceByUser(DIGITS, sources, targets);
  assert.deepEqual(targets, [Float64Array.of(123, 456), Float64Array.of(123, 456)]);
  assert.deepEqual([sources[0], sources[2]], [Float64Array.of(1, 4), Float64Array.of(3, 6)]);
});

test("one source is copied, and the operator is not called", () => {
  const target = new Float64Array(1);
  const never = defineOperator("never", () => assert.fail("nothing is to be combined"));
  reduceByUser(never, [Float64Array.of(9)], [target]);
  assert.deepEqual(target, Float64Array.of(9));
});

test("the operator gets arrays of the sources' type, also of 16-bit floats", () => {
  const types: string[] = [];
  const note = defineOperator<ElementArray>("note", (all, values) => {
    types.push(all.constructor.name, values.constructor.name);
    if (all instanceof BFloat16View) all.set([2.5]);
  });
  const target = new BFloat16View(1);
  reduceByUser(note, [BFloat16View.from([1]), BFloat16View.from([2])], [target]);
  reduceByUser(note, [BigInt64Array.of(1n), BigInt64Array.of(2n)], [new BigInt64Array(1)]);
  assert.deepEqual(types, ["BFloat16View", "BFloat16View", "BigInt64Array", "BigInt64Array"]);
  assert.deepEqual([...target], [2.5]);
});
