/** Which implementation of the kernels a job uses. */

import type { Kernels } from "./kernels.js";
import { plainKernels } from "./plainKernels.js";
import { wasmKernels } from "./wasmKernels.js";

/**
 * The kernels for a segment: WebAssembly, or what the variable `MLSL_KERNELS` names.
 *
 * @param name "wasm" (default) or "plain"
 * @throws {RangeError} If there are no kernels of that name.
 */
export function chooseKernels(memory: WebAssembly.Memory, name = "wasm"): Kernels {
  if (name === "wasm") return wasmKernels(memory);
  if (name === "plain") return plainKernels(memory.buffer);
  throw new RangeError(`Cannot choose kernels: MLSL_KERNELS must be wasm or plain, got "${name}"`);
}
