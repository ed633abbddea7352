import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { ElementArray } from "../../memory/dataTypes.js";
import { BFloat16View } from "../../memory/halfViews.js";
import {
  checkApart,
  checkOptions,
  checkOverlap,
  checkRank,
  checkSameType,
  elements,
  overlaps,
  typeOfNeeded,
} from "./checks.js";

test("arrays are told with count and type", () => {
  assert.equal(elements(new Float32Array(1000)), "1000 float32");
  assert.equal(elements(new BFloat16View(0)), "0 bfloat16");
});

test("a needed array has a type, or is refused by its name", () => {
  assert.equal(typeOfNeeded("scatter", "recv", new BigUint64Array(1)).name, "uint64");
  for (const none of [undefined, null]) {
    const call = () => typeOfNeeded("scatter", "recv", none as unknown as ElementArray);
    assert.throws(
      call,
      new RegExp(`^TypeError: Cannot scatter: recv is needed on this rank, got ${none}$`),
    );
  }
  assert.throws(
    () => typeOfNeeded("scatter", "recv", new Uint8ClampedArray(1) as never),
    TypeError,
  );
});

test("arrays overlap when they share a byte of one buffer", () => {
  const buffer = new ArrayBuffer(32);
  const parts = fc.record({ at: fc.nat(31), length: fc.nat(8) });
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const view = ({ at, length }: typeof a) =>
        new Uint8Array(buffer, at, Math.min(length, 32 - at));
      const [one, other] = [view(a), view(b)];
      const bytes = (array: Uint8Array) => Array.from(array, (_, i) => array.byteOffset + i);
      const shares = bytes(one).some((at) => bytes(other).includes(at));
      assert.equal(overlaps(one, other), shares);
      assert.equal(overlaps(one, new Uint8Array(32)), false);
      if (shares) assert.throws(() => checkApart("alltoallv", one, other), RangeError);
      else checkApart("alltoallv", one, other);
    }),
  );
});

test("only the right part of an array may be its other side", () => {
  const whole = new Float32Array(9);
  const check = (begin: number) =>
    checkOverlap("allgather", { inner: whole.subarray(begin, begin + 3), whole, part: 3 }, "no");
  check(3);
  for (const begin of [0, 1, 2, 4, 6]) {
    assert.throws(() => check(begin), /^RangeError: Cannot allgather: no$/);
  }
});

test("ranks, types and options are refused for what they are", () => {
  const shape = { rank: 0, ranks: 2 };
  checkRank("reduce", "root", 1, shape);
  for (const bad of [2, -1, 0.5, "1", undefined]) {
    assert.throws(
      () => checkRank("reduce", "root", bad as number, shape),
      new RegExp(`^RangeError: Cannot reduce: root must be a rank from 0 to 1, got ${bad}$`),
    );
  }
  checkSameType("reduce", new Int8Array(1), new Int8Array(2));
  assert.throws(
    () => checkSameType("reduce", new Int8Array(1), new Uint8Array(2)),
    /^TypeError: Cannot reduce: send and recv must have one type, got 1 int8 and 2 uint8$/,
  );
  checkOptions("reduce", {});
  checkOptions("reduce", { timeoutMs: Number.POSITIVE_INFINITY });
  for (const [timeoutMs, name] of [
    [0, "Range"],
    [-1, "Range"],
    [NaN, "Range"],
    ["5", "Type"],
  ]) {
    assert.throws(
      () => checkOptions("reduce", { timeoutMs: timeoutMs as number }),
      new RegExp(
        `^${name}Error: Cannot reduce: timeoutMs must be a positive number, got ${timeoutMs}$`,
      ),
    );
  }
  assert.throws(
    () => checkOptions("reduce", "sum" as unknown as object),
    /^TypeError: Cannot reduce: options must be an object, got sum$/,
  );
});
