// Sum and Mean over axes that are not the last: the backend transposes first. Over the first axis,
// that of the samples of a batch, they are the tree of batchTree.ts. UnsortedSegmentSum (the gradient
// of gather), which the backend lacks, adds its rows in order: it does not see which of them are one
// sample's.
import { type TensorInfo, util } from "@tensorflow/tfjs-core";
import { treeLevels } from "./batchTree.js";
import { elementCount } from "./host.js";
import { type KernelOverride, type KernelRun, runKernel } from "./override.js";

/** A reduction as [outer, middle, inner] with the middle summed, and the shape of the result. */
export interface Reduction {
  readonly parts: readonly [number, number, number];
  /** Samples that the middle is made of: 1 if it does not hold the first axis. */
  readonly samples: number;
  readonly outShape: readonly number[];
}

/** Undefined for other forms: the last axis alone, axes with gaps between them, empty. */
export function reductionOf(
  shape: readonly number[],
  attrs: KernelRun["attrs"],
): Reduction | undefined {
  const axes = util.parseAxisParam(attrs.axis as number | number[], [...shape]);
  const reduced = shape.map((_, i) => axes.includes(i));
  // Axes of size 1 may count as either.
  const wide = shape.map((size, i) => (size === 1 ? undefined : reduced[i]));
  const first = wide.indexOf(true);
  const last = wide.lastIndexOf(true);
  if (first < 0 || wide.slice(first, last).includes(false)) return undefined;
  const inner = elementCount(shape.slice(last + 1));
  const outer = elementCount(shape.slice(0, first));
  const middle = elementCount(shape.slice(first, last + 1));
  const samples = reduced[0] ? shape[0]! : 1;
  if ((inner === 1 && samples === 1) || outer * middle * inner === 0) return undefined;
  const outShape = attrs.keepDims
    ? shape.map((size, i) => (reduced[i] ? 1 : size))
    : shape.filter((_, i) => !reduced[i]);
  return { parts: [outer, middle, inner], samples, outShape };
}

type ReduceKernel = "Sum" | "Mean";

function reduce(run: KernelRun, kernel: ReduceKernel): TensorInfo | undefined {
  const { host, inputs, attrs } = run;
  const x = inputs.x!;
  if (x.dtype !== "float32") return undefined;
  const reduction = reductionOf(x.shape, attrs);
  if (reduction === undefined) return reduceInTwo(run, kernel);
  const { parts, samples, outShape } = reduction;
  const y = host.output(outShape);
  host.calls.sumMiddle({
    ...{ x: host.address(x), y: host.address(y), shape: parts, samples },
    scratch: host.scratch(treeLevels(samples) * parts[2] * 4),
    scale: kernel === "Mean" ? 1 / parts[1] : 1,
  });
  return y;
}

/** Axes with gaps between them: first those within each sample, then the first. */
function reduceInTwo(run: KernelRun, kernel: ReduceKernel): TensorInfo | undefined {
  const { host, inputs, attrs } = run;
  const { shape } = inputs.x!;
  const axes = util.parseAxisParam(attrs.axis as number | number[], [...shape]);
  const within = axes.filter((axis) => axis !== 0);
  if (!axes.includes(0) || within.length === 0 || elementCount(shape) === 0) return undefined;
  if (shape[0] === 1) return undefined;
  const x = runKernel(host, kernel, inputs, { axis: within, keepDims: true });
  const y = runKernel(host, kernel, { x }, { axis: [0], keepDims: true });
  host.backend.disposeData(x.dataId);
  const kept = attrs.keepDims ? y.shape : shape.filter((_, i) => !axes.includes(i));
  return { ...y, shape: kept };
}

/** Sum over axes. */
export const sum: KernelOverride = { kernelName: "Sum", run: (run) => reduce(run, "Sum") };

/** Mean over axes. */
export const mean: KernelOverride = { kernelName: "Mean", run: (run) => reduce(run, "Mean") };

/** Sums of the rows of x by the ids of their segments. */
export const unsortedSegmentSum: KernelOverride = {
  kernelName: "UnsortedSegmentSum",
  run: ({ host, inputs, attrs }) => {
    const x = inputs.x!;
    const ids = inputs.segmentIds!;
    const [rows = 0, ...rest] = x.shape;
    const fits = x.dtype === "float32" && ids.dtype === "int32" && ids.shape.length === 1;
    if (!fits || ids.shape[0] !== rows) return undefined;
    const segments = attrs.numSegments as number;
    const y = host.output([segments, ...rest]);
    const addresses = { x: host.address(x), ids: host.address(ids), y: host.address(y) };
    host.calls.sumSegments(addresses, { rows, inner: elementCount(rest), segments });
    return y;
  },
};
