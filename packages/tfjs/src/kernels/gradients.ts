// Gradients that TensorFlow.js composes of many operations, made by one kernel each. The gradient of
// batch normalisation alone is some twenty passes over the tensor.
import {
  type Attribute,
  engine,
  type GradConfig,
  getBackend,
  getGradient,
  registerGradient,
  type Tensor,
  type TensorInfo,
} from "@tensorflow/tfjs-core";
import { elementCount } from "./host.js";
import { BACKEND_NAME, installKernel, type KernelRun } from "./override.js";
import { reductionOf } from "./reduce.js";

/** Smallest float32 above zero: x > 0 is x >= it. */
const ABOVE_ZERO = 2 ** -149;

/** The kernels, by names that no operation of TensorFlow.js has. */
const GATE = "MlslGateGradient";
const SPREAD = "MlslSpreadGradient";
const BATCH_NORM = "MlslBatchNormGradient";

/** A gradient for one operation, or undefined to leave this form to TensorFlow.js. */
type Gradient = (
  dy: Tensor,
  saved: Tensor[],
  attrs: Readonly<Record<string, unknown>>,
) => Record<string, () => Tensor> | undefined;

const isFloat = (...tensors: Tensor[]): boolean =>
  tensors.every((tensor) => tensor.dtype === "float32");

function run(name: string, inputs: Record<string, Tensor>, attrs: object): Tensor[] {
  const result = engine().runKernel(name, inputs, attrs as Record<string, Attribute>);
  return Array.isArray(result) ? (result as Tensor[]) : [result as Tensor];
}

const gate =
  (bounds: (attrs: Readonly<Record<string, unknown>>) => readonly [number, number]): Gradient =>
  (dy, [x], attrs) => {
    if (!isFloat(dy, x!)) return undefined;
    return { x: () => run(GATE, { x: x!, dy }, { bounds: bounds(attrs) })[0]! };
  };

const spread =
  (isMean: boolean): Gradient =>
  (dy, [x], attrs) => {
    const reduction = isFloat(dy, x!) ? reductionOf(x!.shape, attrs) : undefined;
    // A row of one element is better spread by the core, which multiplies with ones.
    if (reduction === undefined || reduction.parts[2] === 1) return undefined;
    const { parts } = reduction;
    const scale = isMean ? 1 / parts[1] : 1;
    return { x: () => run(SPREAD, { dy }, { shape: x!.shape, parts, scale })[0]! };
  };

// The core cannot save the inputs of a normalisation without a scale, so there is always one here.
const batchNorm: Gradient = (dy, [x, mean, variance, scale], attrs) => {
  const byChannel = [mean!, variance!, scale!];
  if (!isFloat(dy, x!, ...byChannel) || byChannel.some(({ rank }) => rank !== 1)) return undefined;
  const inputs = { dy, x: x!, mean: mean!, variance: variance!, scale: scale! };
  const results = run(BATCH_NORM, inputs, { epsilon: attrs.varianceEpsilon });
  const names = ["x", "mean", "variance", "scale", "offset"];
  return Object.fromEntries(names.map((name, i) => [name, () => results[i]!]));
};

const gradients: Readonly<Record<string, Gradient>> = {
  Relu: gate(() => [ABOVE_ZERO, Number.POSITIVE_INFINITY]),
  ClipByValue: gate((attrs) => [attrs.clipValueMin as number, attrs.clipValueMax as number]),
  Sum: spread(false),
  Mean: spread(true),
  FusedBatchNorm: batchNorm,
};

const kernels: Readonly<Record<string, (run: KernelRun) => TensorInfo | TensorInfo[]>> = {
  [GATE]: ({ host, inputs, attrs }) => {
    const { x, dy } = inputs;
    const dx = host.output(dy!.shape);
    const addresses = { x: host.address(x!), dy: host.address(dy!), dx: host.address(dx) };
    host.calls.gateGradient(addresses, elementCount(dy!.shape), attrs.bounds as [number, number]);
    return dx;
  },
  [SPREAD]: ({ host, inputs, attrs }) => {
    const dx = host.output(attrs.shape as number[]);
    const parts = attrs.parts as [number, number, number];
    const addresses = [host.address(inputs.dy!), host.address(dx)] as const;
    host.calls.spreadMiddle(...addresses, parts, attrs.scale as number);
    return dx;
  },
  [BATCH_NORM]: ({ host, inputs, attrs }) => {
    const { dy, x, mean, variance, scale } = inputs;
    const channels = elementCount(mean!.shape);
    const dx = host.output(x!.shape);
    const [dMean, dVariance, dScale, dOffset] = [0, 1, 2, 3].map(() => host.output([channels]));
    host.calls.batchNormGradient({
      x: host.address(x!),
      dy: host.address(dy!),
      dx: host.address(dx),
      rows: elementCount(x!.shape) / channels,
      channels,
      mean: host.address(mean!),
      variance: host.address(variance!),
      scale: host.address(scale!),
      dMean: host.address(dMean!),
      dVariance: host.address(dVariance!),
      dScale: host.address(dScale!),
      dOffset: host.address(dOffset!),
      epsilon: attrs.epsilon as number,
    });
    return [dx, dMean!, dVariance!, dScale!, dOffset!];
  },
};

/**
 * Our gradients have no gradients themselves. A tape that is on while a gradient is made belongs to
 * another gradient around it: then those of the core are taken, whose operations have gradients.
 */
function applies(): boolean {
  return getBackend() === BACKEND_NAME && !engine().isTapeOn();
}

/**
 * Registers the gradients for the WASM backend; other backends keep those of TensorFlow.js. Operations
 * whose gradients are not loaded (the core alone loads none) are left out.
 */
export function installGradients(): void {
  for (const [kernelName, kernelFunc] of Object.entries(kernels)) {
    installKernel(kernelName, kernelFunc);
  }
  for (const [kernelName, gradient] of Object.entries(gradients)) {
    const own = getGradient(kernelName) as GradConfig | undefined;
    if (own === undefined) continue;
    registerGradient({
      ...own,
      gradFunc: (dy, saved, attrs) => {
        const ours = applies() ? gradient(dy as Tensor, saved, attrs) : undefined;
        return ours ?? own.gradFunc(dy, saved, attrs);
      },
    });
  }
}
