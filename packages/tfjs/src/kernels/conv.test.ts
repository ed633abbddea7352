import { test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import { compareBackends, filled, gradientsOf } from "./fixtures/backends.js";

type Pad = "same" | "valid" | number | tf.backend_util.ExplicitPadding;

interface Case {
  readonly image: [number, number, number, number];
  readonly filter: [number, number, number, number];
  readonly stride: number | [number, number];
  readonly pad: Pad;
}

const asymmetric: Pad = [
  [0, 0],
  [2, 0],
  [1, 3],
  [0, 0],
];
const cases: Case[] = [];
for (const stride of [1, 2, [2, 1], [1, 3]] as const) {
  for (const pad of ["same", "valid", asymmetric] as const) {
    for (const [image, filter] of [
      [
        [2, 7, 9, 3],
        [3, 3, 3, 5],
      ],
      [
        [1, 8, 5, 1],
        [5, 2, 1, 4],
      ],
      [
        [3, 6, 6, 4],
        [1, 1, 4, 9],
      ],
      [
        [1, 5, 5, 2],
        [4, 5, 2, 1],
      ],
    ] as const) {
      cases.push({
        image: [...image],
        filter: [...filter],
        stride: typeof stride === "number" ? stride : [...stride],
        pad,
      });
    }
  }
}

test("Conv2D and both gradients: strides, pads, odd and non-square sizes", async () => {
  for (const { image, filter, stride, pad } of cases) {
    await compareBackends(JSON.stringify({ image, filter, stride, pad }), () => {
      const convolve = (x: tf.Tensor, w: tf.Tensor): tf.Tensor =>
        tf.conv2d(x as tf.Tensor4D, w as tf.Tensor4D, stride, pad);
      const inputs = [filled(image, 1), filled(filter, 2)];
      return [convolve(inputs[0]!, inputs[1]!), ...gradientsOf(convolve, inputs)];
    });
  }
});

test("Conv2D: dilations", async () => {
  for (const dilation of [2, [1, 3]] as const) {
    for (const pad of ["same", "valid"] as const) {
      await compareBackends(`dilation ${dilation} ${pad}`, () => {
        const x = filled([2, 11, 9, 3], 3) as tf.Tensor4D;
        const w = filled([3, 2, 3, 6], 4) as tf.Tensor4D;
        const rates = typeof dilation === "number" ? dilation : ([...dilation] as [number, number]);
        return [tf.conv2d(x, w, 1, pad, "NHWC", rates)];
      });
    }
  }
});

test("Conv2D: more places than a block of patches holds", async () => {
  // 4 x 5 x 5 x 4 floats a place: 65,536 floats make a block of 512 places; there are 1,152.
  await compareBackends("many blocks", () => {
    const convolve = (x: tf.Tensor, w: tf.Tensor): tf.Tensor =>
      tf.conv2d(x as tf.Tensor4D, w as tf.Tensor4D, 1, "same");
    const inputs = [filled([2, 24, 24, 4], 5), filled([5, 5, 4, 3], 6)];
    return [convolve(inputs[0]!, inputs[1]!), ...gradientsOf(convolve, inputs)];
  });
});

test("FusedConv2D: bias and activations", async () => {
  for (const activation of ["linear", "relu", "relu6", "sigmoid", "elu"] as const) {
    await compareBackends(activation, () => {
      const options = {
        x: tf.mul(filled([2, 6, 7, 3], 7), 4) as tf.Tensor4D,
        filter: filled([3, 3, 3, 5], 8) as tf.Tensor4D,
        strides: 1 as const,
        pad: "same" as const,
        activation,
      };
      return [tf.fused.conv2d({ ...options, bias: filled([5], 9) }), tf.fused.conv2d(options)];
    });
  }
});

test("A filter changed in place is used as it is now", async () => {
  await compareBackends("in place", () => {
    const x = filled([1, 6, 6, 2], 10) as tf.Tensor4D;
    const first = filled([3, 3, 2, 4], 11) as tf.Tensor4D;
    const second = filled([3, 3, 2, 4], 12) as tf.Tensor4D;
    if (tf.getBackend() !== "wasm") return [tf.conv2d(x, second, 1, "same")];
    tf.conv2d(x, first, 1, "same");
    const heap = tf.backend() as unknown as { typedArrayFromHeap(t: tf.Tensor): Float32Array };
    heap.typedArrayFromHeap(first).set(second.dataSync());
    return [tf.conv2d(x, first, 1, "same")];
  });
});
