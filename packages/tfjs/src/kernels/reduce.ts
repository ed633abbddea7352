// Sum and Mean over axes that are not the last: the backend transposes first. UnsortedSegmentSum (the
// gradient of gather), which it lacks.
import { type TensorInfo, util } from "@tensorflow/tfjs-core";
import { elementCount } from "./host.js";
import type { KernelOverride, KernelRun } from "./override.js";

/** A reduction as [outer, middle, inner] with the middle summed, and the shape of the result. */
export interface Reduction {
  readonly parts: readonly [number, number, number];
  readonly outShape: readonly number[];
}

/** Undefined for forms left to the backend: last axis, axes with gaps between them, empty. */
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
  if (inner === 1 || outer * middle * inner === 0) return undefined;
  const outShape = attrs.keepDims
    ? shape.map((size, i) => (reduced[i] ? 1 : size))
    : shape.filter((_, i) => !reduced[i]);
  return { parts: [outer, middle, inner], outShape };
}

function reduce({ host, inputs, attrs }: KernelRun, mean: boolean): TensorInfo | undefined {
  const x = inputs.x!;
  const reduction = x.dtype === "float32" ? reductionOf(x.shape, attrs) : undefined;
  if (reduction === undefined) return undefined;
  const { parts, outShape } = reduction;
  const y = host.output(outShape);
  host.calls.sumMiddle(host.address(x), host.address(y), parts, mean ? 1 / parts[1] : 1);
  return y;
}

/** Sum over axes. */
export const sum: KernelOverride = { kernelName: "Sum", run: (run) => reduce(run, false) };

/** Mean over axes. */
export const mean: KernelOverride = { kernelName: "Mean", run: (run) => reduce(run, true) };

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
