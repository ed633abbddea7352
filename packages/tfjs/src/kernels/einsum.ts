// Einsum of two operands (all that the layers use) as one matrix product:
//   A -> [batch, free of A, summed], B -> [batch, summed, free of B], then the order asked for.
import type { TensorInfo } from "@tensorflow/tfjs-core";
import { elementCount, type KernelHost } from "./host.js";
import { type KernelOverride, runKernel } from "./override.js";

/** An operand with a letter for each of its axes. */
interface Labelled {
  readonly info: TensorInfo;
  readonly labels: string;
}

/** Letters by the part that they play. */
interface Roles {
  readonly batch: string;
  readonly summed: string;
  readonly freeA: string;
  readonly freeB: string;
}

function rolesOf(a: string, b: string, out: string): Roles | undefined {
  const repeated = [a, b, out].some((labels) => new Set(labels).size !== labels.length);
  const pick = (from: string, test: (label: string) => boolean): string =>
    [...from].filter(test).join("");
  const batch = pick(out, (l) => a.includes(l) && b.includes(l));
  const summed = pick(a, (l) => b.includes(l) && !out.includes(l));
  const freeA = pick(out, (l) => a.includes(l) && !b.includes(l));
  const freeB = pick(out, (l) => !a.includes(l) && b.includes(l));
  // A letter in one operand alone and not in the result would have to be summed first.
  const complete =
    a.length === batch.length + summed.length + freeA.length &&
    b.length === batch.length + summed.length + freeB.length &&
    out.length === batch.length + freeA.length + freeB.length;
  return repeated || !complete ? undefined : { batch, summed, freeA, freeB };
}

/** Puts the axes into the order of `labels`. The caller disposes the result if it is not the operand. */
function arrange(host: KernelHost, { info, labels }: Labelled, wanted: string): TensorInfo {
  const perm = [...wanted].map((label) => labels.indexOf(label));
  if (perm.every((axis, i) => axis === i)) return info;
  return runKernel(host, "Transpose", { x: info }, { perm });
}

function contract(host: KernelHost, a: Labelled, b: Labelled, out: string): TensorInfo | undefined {
  const roles = rolesOf(a.labels, b.labels, out);
  if (roles === undefined) return undefined;
  const { batch, summed, freeA, freeB } = roles;
  const sizeOf = (label: string): number =>
    a.info.shape[a.labels.indexOf(label)] ?? b.info.shape[b.labels.indexOf(label)]!;
  const sizes = (labels: string): number[] => [...labels].map(sizeOf);
  const count = (labels: string): number => elementCount(sizes(labels));
  const left = arrange(host, a, batch + freeA + summed);
  const right = arrange(host, b, batch + summed + freeB);
  const product = runKernel(
    host,
    "BatchMatMul",
    {
      a: { ...left, shape: [count(batch), count(freeA), count(summed)] },
      b: { ...right, shape: [count(batch), count(summed), count(freeB)] },
    },
    { transposeA: false, transposeB: false },
  );
  if (left !== a.info) host.backend.disposeData(left.dataId);
  if (right !== b.info) host.backend.disposeData(right.dataId);
  const labels = batch + freeA + freeB;
  const info = { ...product, shape: sizes(labels) };
  const result = arrange(host, { info, labels }, out);
  if (result !== info) host.backend.disposeData(info.dataId);
  return { dataId: result.dataId, shape: sizes(out), dtype: "float32" };
}

/** Einstein summation of two operands without repeated letters. */
export const einsum: KernelOverride = {
  kernelName: "Einsum",
  run: ({ host, inputs, attrs }) => {
    const [terms = "", out = ""] = String(attrs.equation).replaceAll(" ", "").split("->");
    const [first = "", second, ...more] = terms.split(",");
    const [a, b] = Object.values(inputs);
    if (a === undefined || b === undefined || second === undefined || more.length > 0) {
      return undefined;
    }
    if (a.dtype !== "float32" || b.dtype !== "float32") return undefined;
    return contract(host, { info: a, labels: first }, { info: b, labels: second }, out);
  },
};
