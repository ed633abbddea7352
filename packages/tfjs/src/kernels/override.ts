// One kernel of ours in the registry of TensorFlow.js, with the backend's own behind it.
import {
  type Attribute,
  getKernel,
  type KernelFunc,
  type NamedTensorInfoMap,
  registerKernel,
  type TensorInfo,
  unregisterKernel,
} from "@tensorflow/tfjs-core";
import { hostOf, type KernelHost } from "./host.js";

/** The registry's name of the backend. */
export const BACKEND_NAME = "wasm";

/** What a kernel is called with. */
export interface KernelRun {
  readonly host: KernelHost;
  /** May lack optional inputs; the kernel knows which. */
  readonly inputs: NamedTensorInfoMap;
  readonly attrs: KernelAttributes;
}

/** Attributes as the operation gave them; their types are those of the operation's `…Attrs`. */
export type KernelAttributes = Readonly<Record<string, unknown>>;

/** A kernel to register. */
export interface KernelOverride {
  readonly kernelName: string;
  /** Computes the result, or returns undefined to leave this form to the backend's own kernel. */
  readonly run: (run: KernelRun) => TensorInfo | undefined;
}

/**
 * Registers the kernel in place of the backend's own, which keeps the forms that `run` leaves.
 * The kernel throws an Error for such a form if the backend has no kernel of that name.
 */
export function installOverride({ kernelName, run }: KernelOverride): void {
  const own = getKernel(kernelName, BACKEND_NAME) as ReturnType<typeof getKernel> | undefined;
  const kernelFunc: KernelFunc = (params) => {
    const host = hostOf(params.backend as object);
    const result = run({ host, inputs: params.inputs, attrs: params.attrs ?? {} });
    if (result !== undefined) return result;
    if (own !== undefined) return own.kernelFunc(params);
    throw new Error(
      `Cannot run ${kernelName} on the WASM backend: expected float32 tensors in NHWC, ` +
        `got ${describe(params.inputs)} with ${JSON.stringify(params.attrs)}`,
    );
  };
  if (own !== undefined) unregisterKernel(kernelName, BACKEND_NAME);
  registerKernel({ ...own, kernelName, backendName: BACKEND_NAME, kernelFunc });
}

/** Registers a kernel of ours that no operation of TensorFlow.js has. Its inputs may be absent. */
export function installKernel(
  kernelName: string,
  run: (run: KernelRun) => TensorInfo | TensorInfo[],
): void {
  registerKernel({
    kernelName,
    backendName: BACKEND_NAME,
    kernelFunc: ({ inputs, backend, attrs }) =>
      run({ host: hostOf(backend as object), inputs, attrs: attrs ?? {} }),
  });
}

/** Runs another kernel of the same backend. The caller owns (and disposes) the result. */
export function runKernel(
  host: KernelHost,
  kernelName: string,
  inputs: NamedTensorInfoMap,
  attrs: Record<string, Attribute> = {},
): TensorInfo {
  const { kernelFunc } = getKernel(kernelName, BACKEND_NAME);
  const result = kernelFunc({ inputs, attrs, backend: host.backend });
  if (Array.isArray(result)) throw new Error(`Cannot run ${kernelName}: expected one output`);
  return result;
}

function describe(inputs: NamedTensorInfoMap): string {
  return Object.entries(inputs)
    .flatMap(([name, info]) =>
      info == null ? [] : [`${name} ${info.dtype} [${info.shape.join(", ")}]`],
    )
    .join(", ");
}
