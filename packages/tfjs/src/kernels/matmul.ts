// BatchMatMul and _FusedMatMul. Transposed operands are read by their strides while they are packed.
// In the gradient of a dense layer's weights, dW = xᵀ·dy, the sum is one over the samples of a batch: a
// product with A transposed sums as the tree of batchTree.ts.
import type { TensorInfo } from "@tensorflow/tfjs-core";
import { applyActivation, clampOf, knowsActivation } from "./activation.js";
import { LEAF_SAMPLES, treeLeaves } from "./batchTree.js";
import { GEMM_TREE_DEPTH, type GemmCall } from "./calls.js";
import { elementCount, type KernelHost } from "./host.js";
import type { KernelOverride, KernelRun } from "./override.js";
import { sumLeaves, waitingByteLength } from "./sumLeaves.js";

/** A product of two stacks of matrices. */
interface Product {
  readonly outShape: readonly number[];
  /** Products to make, and whether each operand has one matrix for all of them. */
  readonly batch: number;
  readonly sharedA: boolean;
  readonly sharedB: boolean;
  readonly m: number;
  readonly n: number;
  readonly k: number;
}

type Epilogue = Pick<GemmCall, "bias" | "low" | "high">;

/** Sizes of the product, or undefined for forms left to the backend (mixed broadcasts, empty). */
function productOf({ inputs, attrs }: KernelRun): Product | undefined {
  const a = inputs.a!;
  const b = inputs.b!;
  if (a.dtype !== "float32" || b.dtype !== "float32") return undefined;
  const [rowsA = 0, columnsA = 0] = a.shape.slice(-2);
  const [rowsB = 0, columnsB = 0] = b.shape.slice(-2);
  const [m, k] = attrs.transposeA ? [columnsA, rowsA] : [rowsA, columnsA];
  const [kB, n] = attrs.transposeB ? [columnsB, rowsB] : [rowsB, columnsB];
  const outerA = a.shape.slice(0, -2);
  const outerB = b.shape.slice(0, -2);
  const batchA = elementCount(outerA);
  const batchB = elementCount(outerB);
  const same = outerA.length === outerB.length && outerA.every((size, i) => size === outerB[i]);
  if (k !== kB || m * n * k * batchA * batchB === 0) return undefined;
  if (!same && batchA !== 1 && batchB !== 1) return undefined;
  // With one matrix broadcast, the other has the longer outer shape unless it has leading ones.
  const outer = batchA === 1 && outerB.length >= outerA.length ? outerB : outerA;
  if (outer.length < Math.max(outerA.length, outerB.length)) return undefined;
  const batch = Math.max(batchA, batchB);
  const outShape = [...outer, m, n];
  return { outShape, batch, sharedA: batchA === 1, sharedB: batchB === 1, m, n, k };
}

function multiply(run: KernelRun, product: Product, epilogue?: Epilogue): TensorInfo {
  const { host, attrs } = run;
  const out = host.output(product.outShape);
  const a = host.address(run.inputs.a!);
  const b = host.address(run.inputs.b!);
  const c = host.address(out);
  const { n, k, sharedA, sharedB } = product;
  // One B for all and rows of A in order: the stack of A is one tall matrix.
  const tall = sharedB && !attrs.transposeA;
  const m = tall ? product.m * product.batch : product.m;
  const aStrides = attrs.transposeA ? ([1, m] as const) : ([k, 1] as const);
  const bStrides = attrs.transposeB ? ([1, k] as const) : ([n, 1] as const);
  for (let i = 0; i < (tall ? 1 : product.batch); i++) {
    const call: GemmCall = {
      ...{ a: a + (sharedA ? 0 : i * m * k * 4), aStrides },
      ...{ b: b + (sharedB ? 0 : i * k * n * 4), bStrides },
      ...{ c: c + i * m * n * 4, m, n, k },
      ...epilogue,
    };
    if (attrs.transposeA && epilogue === undefined) multiplyAsTree(host, call);
    else host.calls.gemm(call);
  }
  return out;
}

/** A product whose k are samples; sets of them that fit one call are a tree within it. */
function multiplyAsTree(host: KernelHost, call: GemmCall): void {
  const { m, n, k } = call;
  if (k <= GEMM_TREE_DEPTH) {
    host.calls.gemm(k <= LEAF_SAMPLES ? call : { ...call, leaves: treeLeaves(k) });
    return;
  }
  const floats = m * n;
  const waiting = host.scratch(waitingByteLength(floats, k, GEMM_TREE_DEPTH));
  const sets = treeLeaves(k, GEMM_TREE_DEPTH);
  sumLeaves(host.calls, sets, { out: call.c, waiting, floats }, ({ start, step, count }, c) => {
    const [aRow, aColumn] = call.aStrides;
    const [bRow, bColumn] = call.bStrides;
    host.calls.gemm({
      ...call,
      ...{ a: call.a + start * aColumn * 4, aStrides: [aRow, aColumn * step] },
      ...{ b: call.b + start * bRow * 4, bStrides: [bRow * step, bColumn] },
      ...{ c, k: count, leaves: treeLeaves(count) },
    });
  });
}

/** The product of two matrices or stacks of them. */
export const batchMatMul: KernelOverride = {
  kernelName: "BatchMatMul",
  run: (run) => {
    const product = productOf(run);
    return product === undefined ? undefined : multiply(run, product);
  },
};

/** The same with bias and activation. */
export const fusedMatMul: KernelOverride = {
  kernelName: "_FusedMatMul",
  run: (run) => {
    const { host, inputs, attrs } = run;
    const product = productOf(run);
    const bias = inputs.bias as TensorInfo | null | undefined;
    if (product === undefined || !knowsActivation(attrs.activation)) return undefined;
    if (bias != null && (bias.shape.length !== 1 || bias.shape[0] !== product.n)) return undefined;
    const address = bias == null ? 0 : host.address(bias);
    const out = multiply(run, product, { bias: address, ...clampOf(attrs.activation) });
    return applyActivation(host, out, attrs, inputs);
  },
};
