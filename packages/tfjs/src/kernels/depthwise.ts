// The depthwise convolution and its gradients. The backend lacks the gradients; its convolution keeps
// a packed copy of each filter, which goes stale when a filter is written in place.
// The gradient of the filter sums over the samples of a batch, as the tree of batchTree.ts.
import { backend_util } from "@tensorflow/tfjs-core";
import { treeLeaves } from "./batchTree.js";
import { elementCount } from "./host.js";
import type { KernelOverride, KernelRun } from "./override.js";
import { sumLeaves, waitingByteLength } from "./sumLeaves.js";

type Shape4 = [number, number, number, number];

function geometryOf(
  { attrs, inputs }: KernelRun,
  xShape: readonly number[],
  filterShape: readonly number[],
): backend_util.Conv2DInfo | undefined {
  if (Object.values(inputs).some((info) => info?.dtype !== "float32")) return undefined;
  return backend_util.computeConv2DInfo(
    xShape as Shape4,
    filterShape as Shape4,
    attrs.strides as [number, number],
    (attrs.dilations as [number, number] | undefined) ?? 1,
    attrs.pad as "same" | "valid" | number,
    attrs.dimRoundingMode as "floor" | undefined,
    true,
  );
}

/** The convolution. */
export const depthwiseConv2D: KernelOverride = {
  kernelName: "DepthwiseConv2dNative",
  run: (run) => {
    const { host, inputs } = run;
    const geometry = geometryOf(run, inputs.x!.shape, inputs.filter!.shape);
    if (geometry === undefined) return undefined;
    const y = host.zeros(geometry.outShape);
    host.calls.window("depthwiseForward", geometry, {
      image: host.address(inputs.x!),
      places: host.address(y),
      extra: host.address(inputs.filter!),
    });
    return y;
  },
};

/** Gradient of the filter [filterHeight, filterWidth, channels, multiplier]. */
export const depthwiseBackpropFilter: KernelOverride = {
  kernelName: "DepthwiseConv2dNativeBackpropFilter",
  run: (run) => {
    const { host, inputs, attrs } = run;
    const filterShape = attrs.filterShape as readonly number[];
    const geometry = geometryOf(run, inputs.x!.shape, filterShape);
    if (geometry === undefined) return undefined;
    const result = host.output(filterShape);
    const floats = elementCount(filterShape);
    const { batchSize, inHeight, inWidth, inChannels } = geometry;
    const { outHeight, outWidth, outChannels } = geometry;
    const waiting = host.scratch(waitingByteLength(floats, batchSize));
    const sums = { out: host.address(result), waiting, floats };
    const image = host.address(inputs.x!);
    const dy = host.address(inputs.dy!);
    sumLeaves(host.calls, treeLeaves(batchSize), sums, ({ start, step, count }, to) => {
      host.clear(to, floats * 4);
      host.calls.window(
        "depthwiseFilterGradient",
        { ...geometry, batchSize: count },
        {
          image: image + start * inHeight * inWidth * inChannels * 4,
          places: dy + start * outHeight * outWidth * outChannels * 4,
          extra: to,
          sampleStep: step,
        },
      );
    });
    return result;
  },
};

/** Gradient of the image. */
export const depthwiseBackpropInput: KernelOverride = {
  kernelName: "DepthwiseConv2dNativeBackpropInput",
  run: (run) => {
    const { host, inputs, attrs } = run;
    const inputShape = attrs.inputShape as readonly number[];
    const geometry = geometryOf(run, inputShape, inputs.filter!.shape);
    if (geometry === undefined) return undefined;
    const dx = host.zeros(inputShape);
    host.calls.window("depthwiseImageGradient", geometry, {
      image: host.address(dx),
      places: host.address(inputs.dy!),
      extra: host.address(inputs.filter!),
    });
    return dx;
  },
};
