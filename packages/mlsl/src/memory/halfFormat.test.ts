import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { halfNumber, roundToHalf } from "../testing/models/halfModel.js";
import { BFLOAT16, decodeHalf, encodeHalf, FLOAT16, type HalfFormat } from "./halfFormat.js";

const FORMATS = { float16: FLOAT16, bfloat16: BFLOAT16 } as const;
const TYPES = ["float16", "bfloat16"] as const;

function checkRounding(type: (typeof TYPES)[number], value: number): void {
  const format: HalfFormat = FORMATS[type];
  const actual = decodeHalf(format, encodeHalf(format, value));
  const expected = roundToHalf(type, value);
  assert.ok(Object.is(actual, expected), `${type} of ${value} is ${actual}, expected ${expected}`);
}

for (const type of TYPES) {
  const format = FORMATS[type];

  test(`every pattern of ${type} is the number that the standard says, and comes back`, () => {
    for (let pattern = 0; pattern < 65536; pattern++) {
      const number = decodeHalf(format, pattern);
      const expected = halfNumber(type, pattern);
      assert.ok(Object.is(number, expected), `pattern ${pattern}: ${number}, not ${expected}`);
      const back = Number.isNaN(number) ? format.nan : pattern;
      assert.equal(encodeHalf(format, number), back, `pattern ${pattern}`);
    }
  });

  test(`between neighbours ${type} rounds to the nearest, half way to the even one`, () => {
    for (let pattern = 0; pattern < format.infinity - 1; pattern++) {
      const low = decodeHalf(format, pattern);
      const middle = (low + decodeHalf(format, pattern + 1)) / 2;
      const below = middle * (1 - 2 ** -30);
      const above = middle * (1 + 2 ** -30);
      assert.equal(encodeHalf(format, middle), pattern + (pattern % 2), `above ${low}`);
      assert.equal(encodeHalf(format, below), pattern, `${below}`);
      assert.equal(encodeHalf(format, above), pattern + 1, `${above}`);
      assert.equal(encodeHalf(format, -middle), 32768 + pattern + (pattern % 2), `below ${-low}`);
    }
  });

  test(`any number becomes the nearest ${type}`, () => {
    fc.assert(fc.property(fc.double(), (value) => checkRounding(type, value)));
    fc.assert(fc.property(fc.float(), (value) => checkRounding(type, value)));
  });
}

test("what is too large becomes infinity, from half a step beyond the greatest number on", () => {
  assert.equal(decodeHalf(FLOAT16, encodeHalf(FLOAT16, 65519.99)), 65504);
  assert.equal(decodeHalf(FLOAT16, encodeHalf(FLOAT16, 65520)), Number.POSITIVE_INFINITY);
  const greatest = (2 - 2 ** -7) * 2 ** 127;
  const half = 2 ** 119;
  assert.equal(decodeHalf(BFLOAT16, encodeHalf(BFLOAT16, greatest + half * 0.99)), greatest);
  assert.equal(decodeHalf(BFLOAT16, encodeHalf(BFLOAT16, greatest + half)), Infinity);
  assert.equal(decodeHalf(BFLOAT16, encodeHalf(BFLOAT16, -Number.MAX_VALUE)), -Infinity);
});

test("what is too small becomes a zero of its sign, from half the smallest number down", () => {
  for (const format of [FLOAT16, BFLOAT16]) {
    const smallest = decodeHalf(format, 1);
    assert.equal(encodeHalf(format, smallest / 2), 0);
    assert.equal(encodeHalf(format, -smallest / 2), 32768);
    assert.equal(encodeHalf(format, smallest * 0.51), 1);
    assert.equal(encodeHalf(format, Number.MIN_VALUE), 0);
    assert.equal(encodeHalf(format, -0), 32768);
  }
});
