// What a net computes for a sample does not depend on the batch that the sample is in, to the bit.
import "@tensorflow/tfjs-layers";
import { before, test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { filled } from "./fixtures/backends.js";
import { assertSameBits, dealt } from "./fixtures/trees.js";
import { useWasmBackend } from "./setup.js";

type Compute = (x: tf.Tensor) => tf.Tensor;

const conv = (x: tf.Tensor, filter: number[], stride = 1): tf.Tensor =>
  tf.conv2d(x as tf.Tensor4D, filled(filter, 2) as tf.Tensor4D, stride, "same");
const fusedConv = (x: tf.Tensor, activation: "relu" | "elu"): tf.Tensor =>
  tf.fused.conv2d({
    x: x as tf.Tensor4D,
    filter: filled([3, 3, 6, 10], 2) as tf.Tensor4D,
    strides: 1,
    pad: "same",
    bias: filled([10], 3),
    activation,
  });
const dense = (x: tf.Tensor, units: number, activation?: "relu" | "sigmoid"): tf.Tensor =>
  tf.fused.matMul({
    a: tf.reshape(x, [x.shape[0]!, -1]),
    b: filled([x.size / x.shape[0]!, units], 4),
    bias: filled([units], 5),
    ...(activation && { activation }),
  });
const byChannel = (seed: number): tf.Tensor1D => filled([6], seed) as tf.Tensor1D;

const computations: Record<string, Compute> = {
  Conv2D: (x) => conv(x, [3, 3, 6, 7]),
  "Conv2D, stride 2": (x) => conv(x, [2, 3, 6, 4], 2),
  "Conv2D, 1 x 1": (x) => conv(x, [1, 1, 6, 9]),
  "Conv2D, long sums": (x) => conv(x, [7, 7, 6, 5]),
  "FusedConv2D, relu": (x) => fusedConv(x, "relu"),
  "FusedConv2D, elu": (x) => fusedConv(x, "elu"),
  DepthwiseConv2D: (x) =>
    tf.depthwiseConv2d(x as tf.Tensor4D, filled([3, 3, 6, 1], 2) as tf.Tensor4D, 1, "same"),
  "BatchMatMul nn": (x) => tf.matMul(tf.reshape(x, [-1, 294]), filled([294, 13], 3)),
  "BatchMatMul nt": (x) => tf.matMul(tf.reshape(x, [-1, 294]), filled([13, 294], 3), false, true),
  "BatchMatMul, a matrix for each sample": (x) => {
    const rows = tf.reshape(x, [-1, 49, 6]);
    return tf.matMul(rows, rows, true);
  },
  "FusedMatMul, relu": (x) => dense(x, 20, "relu"),
  "FusedMatMul, sigmoid": (x) => dense(x, 11, "sigmoid"),
  MaxPool: (x) => tf.maxPool(x as tf.Tensor4D, 2, 2, "valid"),
  AvgPool: (x) => tf.avgPool(x as tf.Tensor4D, 3, 2, "same"),
  FusedBatchNorm: (x) => {
    const variance = tf.square(byChannel(3)) as tf.Tensor1D;
    return tf.batchNorm(x as tf.Tensor4D, byChannel(2), variance, byChannel(4), byChannel(5));
  },
  Relu: tf.relu,
  Elu: tf.elu,
  Sigmoid: tf.sigmoid,
  Tanh: tf.tanh,
  "Relu6 of a sum": (x) => tf.relu6(tf.add(x, filled([6], 1))),
  Softmax: (x) => tf.softmax(dense(x, 10)),
  LogSoftmax: (x) => tf.logSoftmax(dense(x, 10)),
  "Sum and Mean within a sample": (x) => tf.add(tf.sum(x, [1, 2]), tf.mean(x, [1, 2])),
  "Sum of a sample": (x) => tf.sum(x, [1, 2, 3]),
};

/** Results of a batch of 64 and of both its halves, dealt, are the same for each sample. */
function assertRows(what: string, compute: Compute, input: tf.Tensor): void {
  const whole = compute(input);
  for (const rank of [0, 1]) {
    assertSameBits(compute(dealt(input, rank, 2)), dealt(whole, rank, 2), `${what}, half ${rank}`);
  }
}

before(useWasmBackend);

for (const [name, compute] of Object.entries(computations)) {
  test(`${name}: the same bits in a batch of 64 and in its halves`, () => {
    tf.tidy(() => assertRows(name, compute, filled([64, 7, 7, 6], 1)));
  });
}

for (const name of [
  ...["Conv2D", "Conv2D, stride 2", "Conv2D, 1 x 1", "DepthwiseConv2D"],
  ...["BatchMatMul nn", "BatchMatMul nt", "MaxPool", "AvgPool"],
  ...["Relu", "Elu", "Sigmoid", "Tanh", "Softmax", "LogSoftmax"],
]) {
  test(`${name}: the gradient of the input, too`, () => {
    const compute = computations[name]!;
    tf.tidy(() => {
      const x = filled([64, 7, 7, 6], 1);
      const dy = filled(compute(x).shape, 9);
      const whole = tf.grad(compute)(x, dy);
      for (const rank of [0, 1]) {
        const half = tf.grad(compute)(dealt(x, rank, 2), dealt(dy, rank, 2));
        assertSameBits(half, dealt(whole, rank, 2), `${name}, half ${rank}`);
      }
    });
  });
}

test("The loss of each sample: logits, softmax, logarithm, clipped as the layers clip it", () => {
  tf.tidy(() => {
    const classes = Int32Array.from({ length: 64 }, (_, i) => i % 10);
    const labels = tf.cast(tf.oneHot(tf.tensor1d(classes, "int32"), 10), "float32");
    const logits = filled([64, 10], 3);
    const loss = (x: tf.Tensor, y: tf.Tensor): tf.Tensor => {
      const p = tf.clipByValue(tf.div(tf.softmax(x), tf.sum(tf.softmax(x), 1, true)), 1e-7, 1);
      return tf.neg(tf.sum(tf.mul(y, tf.log(p)), 1));
    };
    const whole = loss(logits, labels);
    for (const rank of [0, 1]) {
      const half = loss(dealt(logits, rank, 2), dealt(labels, rank, 2));
      assertSameBits(half, dealt(whole, rank, 2), `half ${rank}`);
    }
  });
});
