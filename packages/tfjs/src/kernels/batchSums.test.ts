// Every kernel that sums over the samples of a batch: the sum over all is, bit for bit, the sum over
// the even ones plus the sum over the odd ones.
import "@tensorflow/tfjs-layers";
import { before, test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { LEAF_SAMPLES } from "./batchTree.js";
import { filled } from "./fixtures/backends.js";
import { assertSameBits, dealt, treeSum } from "./fixtures/trees.js";
import { useWasmBackend } from "./setup.js";

/** Batches that are split, among them all kinds of odd halves, and one that two calls share. */
const ALL_BATCHES: number[] = Array.from({ length: 130 - LEAF_SAMPLES }, (_, i) => 17 + i);
const SOME_BATCHES: number[] = [17, 18, 31, 33, 35, 63, 64, 66, 97, 127, 128, 129, 130];

type Batches = readonly tf.Tensor[];

/** `sum` of the batches of each size is that of their even and odd samples, added. */
function assertTree(
  what: string,
  sizes: readonly number[],
  shapes: readonly number[][],
  sum: (batches: Batches) => tf.Tensor,
): void {
  for (const size of sizes) {
    tf.tidy(() => {
      const batches = shapes.map((shape, i) => filled([size, ...shape], size + i));
      const [even, odd] = [0, 1].map((rank) => sum(batches.map((batch) => dealt(batch, rank, 2))));
      assertSameBits(sum(batches), tf.add(even!, odd!), `${what}, ${size} samples`);
    });
  }
}

before(useWasmBackend);

const LONG_BATCHES = [255, 256, 257, 300, 511, 513, 1030];

test("A product with A transposed, as in the gradient of a dense layer", () => {
  for (const [m, n] of [
    [5, 11],
    [1, 1],
    [131, 20],
    [8, 3],
  ] as const) {
    for (const transposeB of [false, true]) {
      const product = ([x, dy]: Batches): tf.Tensor =>
        transposeB ? tf.matMul(x!, tf.transpose(dy!), true, true) : tf.matMul(x!, dy!, true);
      const sizes = m === 5 ? [...ALL_BATCHES, ...LONG_BATCHES] : SOME_BATCHES;
      assertTree(`${m} x ${n} ${transposeB}`, sizes, [[m], [n]], product);
    }
  }
});

test("A product that sums many more samples than one call packs", () => {
  assertTree("long", LONG_BATCHES, [[130], [17]], ([x, dy]) => tf.matMul(x!, dy!, true));
});

test("The gradient of a convolution's filter", () => {
  type Pad = "same" | "valid";
  for (const [image, filter, stride, pad] of [
    [[6, 5, 3], [3, 3, 3, 5], 1, "same"],
    [[6, 5, 3], [3, 2, 3, 4], 2, "valid"],
    [[4, 4, 6], [1, 1, 6, 9], 1, "valid"],
    // 25 x 20 places a sample of 75 floats: blocks of P that end within a sample.
    [[25, 20, 3], [5, 5, 3, 2], 1, "same"],
    // One place a sample.
    [[3, 3, 2], [3, 3, 2, 7], 1, "valid"],
  ] as const) {
    const gradient = ([x, dy]: Batches): tf.Tensor =>
      tf.grad((w) => tf.conv2d(x as tf.Tensor4D, w as tf.Tensor4D, stride, pad as Pad))(
        filled([...filter], 1),
        dy!,
      );
    const { outShape } = tf.backend_util.computeConv2DInfo(
      [1, ...image],
      [...filter],
      stride,
      1,
      pad,
    );
    const sizes = image[0] === 6 && stride === 1 ? ALL_BATCHES : SOME_BATCHES;
    assertTree(`filter [${filter}]`, sizes, [[...image], outShape.slice(1)], gradient);
  }
});

test("The gradient of a depthwise convolution's filter", () => {
  for (const multiplier of [1, 2]) {
    const gradient = ([x, dy]: Batches): tf.Tensor =>
      tf.grad((w) => tf.depthwiseConv2d(x as tf.Tensor4D, w as tf.Tensor4D, 2, "same"))(
        filled([3, 3, 5, multiplier], 1),
        dy!,
      );
    const shapes = [
      [5, 6, 5],
      [3, 3, 5 * multiplier],
    ];
    assertTree(`multiplier ${multiplier}`, ALL_BATCHES, shapes, gradient);
  }
});

test("Sum over axes with the first: bias gradients of every rank, gaps between the axes", () => {
  for (const [rest, axes] of [
    [[], [0]],
    [[1], [0]],
    [[37], [0]],
    [[3, 4], [0]],
    [
      [3, 4],
      [0, 1, 2],
    ],
    [
      [5, 4, 7],
      [0, 1, 2],
    ],
    [
      [9, 15, 3],
      [0, 1, 2],
    ],
    [
      [3, 4, 5],
      [0, 2],
    ],
    [
      [3, 4, 5],
      [0, 3],
    ],
  ] as const) {
    for (const keepDims of [false, true]) {
      const sum = ([x]: Batches): tf.Tensor => tf.sum(x!, [...axes], keepDims);
      assertTree(`[${rest}] over [${axes}]`, ALL_BATCHES, [[...rest]], sum);
    }
  }
});

test("Mean of 2, 4, 8 times as many samples as a leaf is the average of the halves' means", () => {
  for (const [rest, axes] of [
    [[], [0]],
    [[4, 6], [0]],
    [
      [4, 2, 5],
      [0, 1, 2],
    ],
    [
      [4, 2, 8],
      [0, 3],
    ],
  ] as const) {
    const halved = ([x]: Batches): tf.Tensor => tf.mul(tf.mean(x!, [...axes]), x!.shape[0]!);
    assertTree(`[${rest}] over [${axes}]`, [32, 64, 128], [[...rest]], halved);
  }
});

test("The sum over the samples is the definition's, to the bit", () => {
  for (let size = 2; size <= 130; size++) {
    tf.tidy(() => {
      const x = filled([size, 5], size) as tf.Tensor2D;
      const columns = tf.transpose(x).arraySync() as number[][];
      const expected = tf.tensor1d(columns.map(treeSum));
      assertSameBits(tf.sum(x, 0), expected, `${size} samples`);
      const ones = tf.ones([size, 1]);
      assertSameBits(tf.matMul(ones, x, true), tf.reshape(expected, [1, 5]), `${size} products`);
    });
  }
});
