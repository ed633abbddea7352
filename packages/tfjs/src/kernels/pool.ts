// MaxPoolGrad; the backend's own goes over the window once for each element of it.
import { backend_util } from "@tensorflow/tfjs-core";
import type { KernelOverride } from "./override.js";

/** Gradient of max pooling: to the first largest element of each window. */
export const maxPoolGrad: KernelOverride = {
  kernelName: "MaxPoolGrad",
  run: ({ host, inputs, attrs }) => {
    const input = inputs.input!;
    const dy = inputs.dy!;
    if (input.dtype !== "float32" || dy.dtype !== "float32") return undefined;
    const info = backend_util.computePool2DInfo(
      input.shape as [number, number, number, number],
      attrs.filterSize as [number, number],
      attrs.strides as [number, number],
      1,
      attrs.pad as "same" | "valid" | number,
      attrs.dimRoundingMode as "floor" | undefined,
    );
    const dx = host.zeros(input.shape);
    host.calls.window("maxPoolGradient", info, {
      image: host.address(dx),
      places: host.address(dy),
      extra: host.address(input),
    });
    return dx;
  },
};
