// The activation at the end of a fused kernel: a clamp in the matrix product if it is one, otherwise
// the backend's own unary kernel.
import type { NamedTensorInfoMap, TensorInfo } from "@tensorflow/tfjs-core";
import type { KernelHost } from "./host.js";
import { type KernelAttributes, runKernel } from "./override.js";

/** Bounds that make an activation; [-Infinity, Infinity] if it is not a clamp. */
export function clampOf(activation: unknown): { low: number; high: number } {
  if (activation === "relu") return { low: 0, high: Infinity };
  if (activation === "relu6") return { low: 0, high: 6 };
  return { low: -Infinity, high: Infinity };
}

/** True if {@link applyActivation} knows the activation. */
export function knowsActivation(activation: unknown): boolean {
  return ["linear", "relu", "relu6", "sigmoid", "elu", "leakyrelu", "prelu"].includes(
    activation as string,
  );
}

/** Applies what the clamp did not; consumes `x` if it makes a new tensor. */
export function applyActivation(
  host: KernelHost,
  x: TensorInfo,
  attrs: KernelAttributes,
  inputs: NamedTensorInfoMap,
): TensorInfo {
  const run = (name: string, more: NamedTensorInfoMap = {}, alpha?: number): TensorInfo => {
    const y = runKernel(host, name, { x, ...more }, alpha === undefined ? {} : { alpha });
    host.backend.disposeData(x.dataId);
    return y;
  };
  switch (attrs.activation) {
    case "sigmoid":
      return run("Sigmoid");
    case "elu":
      return run("Elu");
    case "leakyrelu":
      return run("LeakyRelu", {}, Number(attrs.leakyreluAlpha ?? 0));
    case "prelu":
      return run("Prelu", { alpha: inputs.preluActivationWeights as TensorInfo });
    default:
      return x;
  }
}
