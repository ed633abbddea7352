/** The rules of numerics, by examples with known answers: over both kernels. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DataType } from "../memory/dataTypes.js";
import { segmentBytesFor } from "../memory/layout.js";
import { newThreadMemory } from "../memory/segment.js";
import { KERNELS } from "../testing/localJob.js";
import { reduceValues } from "../testing/models/reductionRun.js";
import { chooseKernels } from "./chooseKernels.js";
import type { ReductionOperator } from "./reductions.js";

const memory = newThreadMemory(1, segmentBytesFor(1, 8388608));
const FLOATS = ["float16", "bfloat16", "float32", "float64"] as const;
const SIGNED = ["int8", "int16", "int32", "int64"] as const;
const UNSIGNED = ["uint8", "uint16", "uint32", "uint64"] as const;

/** Greatest number of an integer type. */
function highest(type: (typeof SIGNED | typeof UNSIGNED)[number]): bigint {
  const bits = BigInt(type.replace(/\D/g, ""));
  return 2n ** (type.startsWith("u") ? bits : bits - 1n) - 1n;
}

for (const name of KERNELS) {
  const kernels = chooseKernels(memory, name);

  const check = (
    [type, op]: readonly [DataType, ReductionOperator],
    values: readonly (number | bigint)[],
    expected: number | bigint,
  ): void => {
    const reduction = { type, op, ranks: values.length, pre: 0.5, post: 3 };
    const actual = reduceValues(kernels, memory, reduction, values);
    assert.ok(Object.is(actual, expected), `${op} of ${type} ${values} is ${actual}`);
  };

  test(`${name}: NaN propagates in min and max, and -0 is below +0`, () => {
    for (const type of FLOATS) {
      for (const op of ["min", "max"] as const) {
        check([type, op], [1, NaN, Infinity], NaN);
        check([type, op], [NaN, -Infinity], NaN);
        for (const zeros of [
          [0, -0],
          [-0, 0],
        ]) {
          check([type, op], zeros, op === "min" ? -0 : 0);
        }
      }
    }
  });

  test(`${name}: 16-bit floats accumulate in float32 and round once`, () => {
    // The tree of four is (0 + 2) + (1 + 3): rounded there, each 1 would be lost.
    check(["float16", "sum"], [2048, 0, 1, 1], 2050);
    check(["float16", "sum"], [65504, -65504, 65504, -65504], 0);
    check(["float16", "average"], [65504, 65504, 65504], 65504);
    check(["bfloat16", "sum"], [256, 0, 1, 1], 258);
    check(["float16", "product"], [2 ** -14, 2 ** 14, 2 ** -14], 2 ** -14);
    // Half way between 2048 and 2050, between 2050 and 2052: ties to even.
    check(["float16", "sum"], [2048, 1], 2048);
    check(["float16", "sum"], [2050, 1], 2052);
    check(["float16", "sum"], [65504, 15], 65504);
    check(["float16", "sum"], [65504, 16], Infinity);
  });

  test(`${name}: scaled multiplies contributions, sums, divides and multiplies`, () => {
    for (const type of FLOATS) check([type, "scaled"], [4, 8, 12, 16], 15);
    // Small factors first keep a sum of large numbers finite.
    check(["float32", "scaled"], [3e38, 3e38, -3e38], Math.fround(Math.fround(1.5e38 / 3) * 3));
  });

  test(`${name}: integer sums and products wrap, saturating sums are exact and limited once`, () => {
    for (const type of SIGNED) {
      const high = highest(type);
      check([type, "sum"], [high, 1n], -high - 1n);
      check([type, "product"], [high, high, -1n], -1n);
      check([type, "saturatingSum"], [high, high], high);
      check([type, "saturatingSum"], [-high, -high], -high - 1n);
      check([type, "saturatingSum"], [high, high, -high, -1n], high - 1n);
    }
    for (const type of UNSIGNED) {
      const high = highest(type);
      check([type, "sum"], [high, 2n], 1n);
      check([type, "product"], [high, high], 1n);
      check([type, "saturatingSum"], [high, 1n, 0n], high);
      check([type, "saturatingSum"], [high - 1n, 1n, 0n], high);
    }
  });

  test(`${name}: integer means are exact and rounded once, at any width`, () => {
    const rows = [
      { values: [-3n, 0n], floor: -2n, truncate: -1n, nearest: -2n },
      { values: [-1n, 0n], floor: -1n, truncate: 0n, nearest: 0n },
      { values: [3n, 0n], floor: 1n, truncate: 1n, nearest: 2n },
      { values: [1n, 0n], floor: 0n, truncate: 0n, nearest: 0n },
      { values: [-5n, 0n, 0n], floor: -2n, truncate: -1n, nearest: -2n },
      { values: [4n, 0n, 0n], floor: 1n, truncate: 1n, nearest: 1n },
    ];
    for (const type of SIGNED) {
      for (const { values, floor, truncate, nearest } of rows) {
        check([type, "averageFloor"], values, floor);
        check([type, "averageTruncate"], values, truncate);
        check([type, "averageNearest"], values, nearest);
      }
    }
    for (const type of [...SIGNED, ...UNSIGNED]) {
      const high = highest(type);
      for (const op of ["averageFloor", "averageTruncate", "averageNearest"] as const) {
        check([type, op], [high, high, high, high, high], high);
        check([type, op], [high, high - 2n], high - 1n);
      }
    }
  });
}
