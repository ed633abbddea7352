import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled } from "./fixtures/backends.js";

const sizes = [
  [1, 1, 1],
  [3, 5, 7],
  [4, 8, 16],
  [5, 10, 33],
  [129, 12, 3],
  [2, 17, 300],
  [131, 21, 257],
] as const;

test("BatchMatMul: every transposition over odd sizes and block borders", async () => {
  for (const [m, n, k] of sizes) {
    for (const transposeA of [false, true]) {
      for (const transposeB of [false, true]) {
        await compareBackends(`${m} x ${n} x ${k} ${transposeA} ${transposeB}`, () => {
          const a = filled(transposeA ? [k, m] : [m, k], 1);
          const b = filled(transposeB ? [n, k] : [k, n], 2);
          return [tf.matMul(a, b, transposeA, transposeB)];
        });
      }
    }
  }
});

test("BatchMatMul: stacks, equal or with one matrix for all", async () => {
  const stacks = [
    [
      [2, 3],
      [2, 3],
    ],
    [[4], [1]],
    [[1], [4]],
    [
      [1, 1],
      [2, 2],
    ],
    [
      [2, 1],
      [2, 1],
    ],
  ];
  for (const [outerA = [], outerB = []] of stacks) {
    for (const [transposeA, transposeB] of [
      [false, false],
      [true, false],
      [false, true],
    ]) {
      await compareBackends(`[${outerA}] x [${outerB}] ${transposeA} ${transposeB}`, () => {
        const a = filled([...outerA, ...(transposeA ? [6, 5] : [5, 6])], 3);
        const b = filled([...outerB, ...(transposeB ? [7, 6] : [6, 7])], 4);
        return [tf.matMul(a, b, transposeA, transposeB)];
      });
    }
  }
});

test("_FusedMatMul: bias and every activation", async () => {
  for (const activation of ["linear", "relu", "relu6", "sigmoid", "elu", "leakyrelu"] as const) {
    for (const transposeB of [false, true]) {
      await compareBackends(`${activation} ${transposeB}`, () => {
        const a = tf.mul(filled([9, 300], 5), 3);
        const b = filled(transposeB ? [11, 300] : [300, 11], 6);
        const bias = filled([11], 7);
        return [
          tf.fused.matMul({ a, b, transposeB, bias, activation, leakyreluAlpha: 0.2 }),
          tf.fused.matMul({ a, b, transposeB, activation, leakyreluAlpha: 0.2 }),
        ];
      });
    }
  }
});

test("_FusedMatMul: prelu takes its slopes from a tensor", async () => {
  await compareBackends("prelu", () => [
    tf.fused.matMul({
      a: filled([4, 6], 8),
      b: filled([6, 5], 9),
      activation: "prelu",
      preluActivationWeights: filled([5], 10),
    }),
  ]);
});
