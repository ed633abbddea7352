/** The kernels as compiled WebAssembly, linked with a segment's memory. */

import { wasmBase64 } from "./generated/wasm.js";
import type { Kernels } from "./kernels.js";

let compiled: WebAssembly.Module | undefined;

/** Links the kernels with a shared memory. */
export function wasmKernels(memory: WebAssembly.Memory): Kernels {
  compiled ??= new WebAssembly.Module(Buffer.from(wasmBase64, "base64"));
  const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
  return { name: "wasm", ...(exports as unknown as Omit<Kernels, "name">) };
}
