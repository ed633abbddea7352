// FusedBatchNorm; the backend's own divides and takes a root for each element.
import { elementCount } from "./host.js";
import type { KernelOverride } from "./override.js";

/** Batch normalisation, channels last. */
export const fusedBatchNorm: KernelOverride = {
  kernelName: "FusedBatchNorm",
  run: ({ host, inputs, attrs }) => {
    const { x, mean, variance, offset, scale } = inputs;
    const given = [x, mean, variance, offset, scale].filter((info) => info != null);
    if (given.some(({ dtype }) => dtype !== "float32")) return undefined;
    const channels = x!.shape.at(-1) ?? 0;
    const byChannel = given.slice(1).every(({ shape }) => shape.join() === `${channels}`);
    if (!byChannel || elementCount(x!.shape) === 0) return undefined;
    const y = host.output(x!.shape);
    host.calls.batchNormForward({
      x: host.address(x!),
      y: host.address(y),
      rows: elementCount(x!.shape) / channels,
      channels,
      mean: host.address(mean!),
      variance: host.address(variance!),
      scale: scale == null ? 0 : host.address(scale),
      offset: offset == null ? 0 : host.address(offset),
      scratch: host.scratch(2 * channels * 4),
      epsilon: attrs.varianceEpsilon as number,
    });
    return y;
  },
};
