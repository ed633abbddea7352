// Puts the training kernels into the registry of TensorFlow.js.
import { backend, getBackend } from "@tensorflow/tfjs-core";
import { conv2D, conv2DBackpropFilter, conv2DBackpropInput, fusedConv2D } from "./conv.js";
import { depthwiseBackpropFilter, depthwiseBackpropInput, depthwiseConv2D } from "./depthwise.js";
import { einsum } from "./einsum.js";
import { installUpdates } from "./fuseUpdates.js";
import { gatherRows } from "./gather.js";
import { installGradients } from "./gradients.js";
import { hostOf, TESTED_VERSION } from "./host.js";
import { cast, identity } from "./identity.js";
import { batchMatMul, fusedMatMul } from "./matmul.js";
import { fusedBatchNorm } from "./norm.js";
import { BACKEND_NAME, installOverride, type KernelOverride } from "./override.js";
import { maxPoolGrad } from "./pool.js";
import { mean, sum, unsortedSegmentSum } from "./reduce.js";
import { sliceRows } from "./slice.js";
import { tile } from "./tile.js";

const overrides: readonly KernelOverride[] = [
  batchMatMul,
  fusedMatMul,
  conv2D,
  fusedConv2D,
  conv2DBackpropFilter,
  conv2DBackpropInput,
  depthwiseConv2D,
  depthwiseBackpropFilter,
  depthwiseBackpropInput,
  maxPoolGrad,
  sum,
  mean,
  unsortedSegmentSum,
  einsum,
  tile,
  gatherRows,
  sliceRows,
  identity,
  cast,
  fusedBatchNorm,
];

let registered: readonly string[] | undefined;

/**
 * Registers the kernels that the WASM backend of TensorFlow.js lacks for training or has only in slow
 * form. Forms that a kernel does not cover stay with the backend's own. A second call does nothing.
 * @returns The names of the kernels registered
 * @throws Error If the current backend is not an initialised WASM backend of the tested version's
 *   shape; nothing is registered then
 */
export function registerTrainingKernels(): readonly string[] {
  checkBackend();
  if (registered === undefined) {
    for (const override of overrides) installOverride(override);
    installGradients();
    installUpdates();
    registered = overrides.map(({ kernelName }) => kernelName);
  }
  return registered;
}

function checkBackend(): void {
  const name = getBackend();
  if (name !== BACKEND_NAME) {
    throw new Error(
      `Cannot register the training kernels: expected the current backend to be "${BACKEND_NAME}", ` +
        `got ${JSON.stringify(name)}; await useWasmBackend() first`,
    );
  }
  const missing = missingMembers(backend());
  if (missing.length > 0) {
    throw new Error(
      `Cannot register the training kernels: the WASM backend has no ${missing.join(", no ")}; ` +
        `expected @tensorflow/tfjs-backend-wasm ${TESTED_VERSION}`,
    );
  }
  // Reserves the room of the kernels now, so that a full heap shows here.
  hostOf(backend());
}

/** Names of the members that the kernels stand on and the object lacks. */
function missingMembers(candidate: object): string[] {
  const { wasm, ...own } = candidate as { wasm?: Record<string, unknown> } & Record<
    string,
    unknown
  >;
  const memory = (wasm?.asm as { memory?: unknown } | undefined)?.memory;
  const has: Record<string, boolean> = {
    "wasm.asm.memory": memory instanceof WebAssembly.Memory,
    "wasm._malloc": typeof wasm?._malloc === "function",
    "wasm._free": typeof wasm?._free === "function",
    dataIdMap: typeof own.dataIdMap === "object",
    makeOutput: "makeOutput" in candidate,
    incRef: "incRef" in candidate,
    disposeData: "disposeData" in candidate,
  };
  return Object.keys(has).filter((member) => !has[member]);
}
