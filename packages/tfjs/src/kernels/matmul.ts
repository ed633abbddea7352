// BatchMatMul and _FusedMatMul. Transposed operands are read by their strides while they are packed.
import type { TensorInfo } from "@tensorflow/tfjs-core";
import { applyActivation, clampOf, knowsActivation } from "./activation.js";
import type { GemmCall } from "./calls.js";
import { elementCount } from "./host.js";
import type { KernelOverride, KernelRun } from "./override.js";

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

function multiply(run: KernelRun, product: Product, epilogue: Epilogue): TensorInfo {
  const { host, attrs } = run;
  const out = host.output(product.outShape);
  const a = host.address(run.inputs.a!);
  const b = host.address(run.inputs.b!);
  const c = host.address(out);
  const { n, k, sharedA, sharedB } = product;
  // One B for all and rows of A in order: the stack of A is one tall matrix.
  const tall = sharedB && !attrs.transposeA;
  const m = tall ? product.m * product.batch : product.m;
  for (let i = 0; i < (tall ? 1 : product.batch); i++) {
    host.calls.gemm({
      a: a + (sharedA ? 0 : i * m * k * 4),
      aStrides: attrs.transposeA ? [1, m] : [k, 1],
      b: b + (sharedB ? 0 : i * k * n * 4),
      bStrides: attrs.transposeB ? [1, k] : [n, 1],
      c: c + i * m * n * 4,
      ...{ m, n, k },
      ...epilogue,
    });
  }
  return out;
}

/** The product of two matrices or stacks of them. */
export const batchMatMul: KernelOverride = {
  kernelName: "BatchMatMul",
  run: (run) => {
    const product = productOf(run);
    return product === undefined ? undefined : multiply(run, product, {});
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
