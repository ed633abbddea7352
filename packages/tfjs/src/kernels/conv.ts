// Conv2D, FusedConv2D and the two gradients of Conv2D as products with the patch matrix P, one row
// for each place of the window:
//   y = P·W        dW = Pᵀ·dy        dP = dy·Wᵀ, each row of dP added back where it was seen
// P is never whole in memory: its rows are made in blocks that stay in the cache. dW sums over the
// samples of a batch, as the tree of batchTree.ts.
import { backend_util, type TensorInfo } from "@tensorflow/tfjs-core";
import { applyActivation, clampOf, knowsActivation } from "./activation.js";
import { type Leaf, treeLeaves } from "./batchTree.js";
import type { GemmCall } from "./calls.js";
import { elementCount, type KernelHost } from "./host.js";
import type { KernelOverride, KernelRun } from "./override.js";
import { sumLeaves, waitingByteLength } from "./sumLeaves.js";

type Shape4 = [number, number, number, number];
type ConvInfo = backend_util.Conv2DInfo;

/** Floats in a block of P: 256 KiB, a fraction of a second-level cache. */
const BLOCK_FLOATS = 65_536;

/** Rows of a block are a multiple of the depth that the matrix product packs at once, or less. */
const BLOCK_ROWS = 256;

/** A convolution as the product of matrices. */
interface Lowered {
  readonly info: ConvInfo;
  /** Places of the window. */
  readonly rows: number;
  /** What it sees at each. */
  readonly depth: number;
  /** Rows of P in a block. */
  readonly blockRows: number;
  /** P is the image itself: 1 x 1, stride 1, no padding. */
  readonly direct: boolean;
}

function lower(info: ConvInfo): Lowered {
  const depth = info.filterHeight * info.filterWidth * info.inChannels;
  const rows = info.batchSize * info.outHeight * info.outWidth;
  const one = info.filterHeight * info.filterWidth * info.strideHeight * info.strideWidth === 1;
  const { top, left, bottom, right } = info.padInfo;
  const direct = one && top === 0 && left === 0 && bottom === 0 && right === 0;
  const wanted = Math.floor(BLOCK_FLOATS / depth / BLOCK_ROWS) * BLOCK_ROWS;
  const blockRows = direct ? rows : Math.min(rows, Math.max(BLOCK_ROWS, wanted));
  return { info, rows, depth, blockRows, direct };
}

/** What the operation asks for, or undefined for forms left to the backend. */
function convolutionOf(
  { attrs, inputs }: KernelRun,
  xShape: readonly number[],
  filterShape: readonly number[],
): Lowered | undefined {
  const float = Object.values(inputs).every((info) => info == null || info.dtype === "float32");
  const nhwc = attrs.dataFormat === undefined || attrs.dataFormat === "NHWC";
  if (!float || !nhwc) return undefined;
  const info = backend_util.computeConv2DInfo(
    xShape as Shape4,
    filterShape as Shape4,
    attrs.strides as [number, number],
    (attrs.dilations as [number, number] | undefined) ?? 1,
    attrs.pad as "same" | "valid" | number,
    attrs.dimRoundingMode as "floor" | undefined,
  );
  // Grouped convolutions, empty tensors.
  if (info.inChannels !== filterShape[2] || info.outShape.includes(0)) return undefined;
  return xShape.includes(0) ? undefined : lower(info);
}

/** Images whose rows of P are made in order. */
interface Images {
  /** Address of the first one. */
  readonly image: number;
  readonly rows: number;
  /** From one to the next, in images. */
  readonly sampleStep: number;
  /** Address of room for a block; unused if P is the image itself. */
  readonly places: number;
}

/** Bytes of room for a block of P. */
function blockByteLength({ direct, blockRows, depth }: Lowered): number {
  return direct ? 0 : blockRows * depth * 4;
}

/** Calls `visit` with the address of each block of P. */
function eachBlock(
  host: KernelHost,
  { info, blockRows, direct }: Lowered,
  { image, rows, sampleStep, places }: Images,
  visit: (patches: number, firstRow: number, rows: number) => void,
): void {
  if (direct) {
    visit(image, 0, rows);
    return;
  }
  for (let firstRow = 0; firstRow < rows; firstRow += blockRows) {
    const count = Math.min(blockRows, rows - firstRow);
    const part = { image, places, firstRow, rows: count, sampleStep };
    host.calls.window("imageToPatches", info, part);
    visit(places, firstRow, count);
  }
}

type Epilogue = Pick<GemmCall, "bias" | "low" | "high">;

function forward(run: KernelRun, lowered: Lowered, epilogue: Epilogue): TensorInfo {
  const { host, inputs } = run;
  const { depth: k } = lowered;
  const n = lowered.info.outChannels;
  const y = host.output(lowered.info.outShape);
  const b = host.address(inputs.filter!);
  const c = host.address(y);
  const image = host.address(inputs.x!);
  const places = host.scratch(blockByteLength(lowered));
  const images = { image, rows: lowered.rows, sampleStep: 1, places };
  eachBlock(host, lowered, images, (a, firstRow, m) => {
    const strides = { aStrides: [k, 1], bStrides: [n, 1] } as const;
    host.calls.gemm({ a, b, c: c + firstRow * n * 4, m, n, k, ...strides, ...epilogue });
  });
  return y;
}

/** Convolution. */
export const conv2D: KernelOverride = {
  kernelName: "Conv2D",
  run: (run) => {
    const { x, filter } = run.inputs;
    const lowered = convolutionOf(run, x!.shape, filter!.shape);
    return lowered === undefined ? undefined : forward(run, lowered, {});
  },
};

/** Convolution with bias and activation. */
export const fusedConv2D: KernelOverride = {
  kernelName: "FusedConv2D",
  run: (run) => {
    const { host, inputs, attrs } = run;
    const lowered = convolutionOf(run, inputs.x!.shape, inputs.filter!.shape);
    if (lowered === undefined || !knowsActivation(attrs.activation)) return undefined;
    const bias = inputs.bias as TensorInfo | null | undefined;
    const channels = lowered.info.outChannels;
    if (bias != null && (bias.shape.length !== 1 || bias.shape[0] !== channels)) return undefined;
    const address = bias == null ? 0 : host.address(bias);
    const y = forward(run, lowered, { bias: address, ...clampOf(attrs.activation) });
    return applyActivation(host, y, attrs, inputs);
  },
};

/** Addresses for the gradient of a filter. */
interface FilterGradient {
  readonly image: number;
  readonly dy: number;
  readonly places: number;
}

/** Writes the filter's gradient for the samples of one leaf to address `c`. */
function sumSamples(
  host: KernelHost,
  lowered: Lowered,
  { image, dy, places }: FilterGradient,
  { start, step, count }: Leaf,
  c: number,
): void {
  const { info, depth: m, direct } = lowered;
  const n = info.outChannels;
  const imageFloats = info.inHeight * info.inWidth * info.inChannels;
  // Rows of P and dy in a sample, and those between the ends of a sample and the start of the next.
  const length = info.outHeight * info.outWidth;
  const gap = (step - 1) * length;
  const first = image + start * imageFloats * 4;
  const images = { image: first, rows: count * length, sampleStep: step, places };
  eachBlock(host, lowered, images, (a, firstRow, k) => {
    const row = start * length + firstRow + Math.floor(firstRow / length) * gap;
    const runs = { length, passed: firstRow % length, aSkip: direct ? gap * m : 0, bSkip: gap * n };
    const strides = { aStrides: [1, m], bStrides: [n, 1] } as const;
    const b = dy + row * n * 4;
    host.calls.gemm({ a, b, c, m, n, k, ...strides, runs, accumulate: firstRow > 0 });
  });
}

/** Gradient of the filter. */
export const conv2DBackpropFilter: KernelOverride = {
  kernelName: "Conv2DBackpropFilter",
  run: (run) => {
    const { host, inputs, attrs } = run;
    const filterShape = attrs.filterShape as readonly number[];
    const lowered = convolutionOf(run, inputs.x!.shape, filterShape);
    if (lowered === undefined) return undefined;
    const samples = lowered.info.batchSize;
    const result = host.output(filterShape);
    const floats = elementCount(filterShape);
    const blockBytes = blockByteLength(lowered);
    const places = host.scratch(blockBytes + waitingByteLength(floats, samples));
    const sums = { out: host.address(result), waiting: places + blockBytes, floats };
    const operands = { image: host.address(inputs.x!), dy: host.address(inputs.dy!), places };
    sumLeaves(host.calls, treeLeaves(samples), sums, (leaf, to) => {
      sumSamples(host, lowered, operands, leaf, to);
    });
    return result;
  },
};

/** Gradient of the image. */
export const conv2DBackpropInput: KernelOverride = {
  kernelName: "Conv2DBackpropInput",
  run: (run) => {
    const { host, inputs, attrs } = run;
    const inputShape = attrs.inputShape as readonly number[];
    const lowered = convolutionOf(run, inputShape, inputs.filter!.shape);
    if (lowered === undefined) return undefined;
    const { info, rows, depth: n, blockRows, direct } = lowered;
    const k = info.outChannels;
    const dx = direct ? host.output(inputShape) : host.zeros(inputShape);
    const image = host.address(dx);
    const places = direct ? image : host.scratch(blockByteLength(lowered));
    const b = host.address(inputs.filter!);
    const dy = host.address(inputs.dy!);
    for (let firstRow = 0; firstRow < rows; firstRow += blockRows) {
      const m = Math.min(blockRows, rows - firstRow);
      const strides = { aStrides: [k, 1], bStrides: [1, k] } as const;
      host.calls.gemm({ a: dy + firstRow * k * 4, b, c: places, m, n, k, ...strides });
      if (direct) continue;
      host.calls.window("addPatchesToImage", info, { image, places, firstRow, rows: m });
    }
    return dx;
  },
};
