// The compiled kernels, linked with a memory that somebody else owns.
import type { Kernels } from "./calls.js";
import { wasmBase64 } from "./generated/wasm.js";

let compiled: WebAssembly.Module | undefined;

/** The module of the compiled kernels; compiled once per thread. */
export function kernelModule(): WebAssembly.Module {
  compiled ??= new WebAssembly.Module(Buffer.from(wasmBase64, "base64"));
  return compiled;
}

/** Links the compiled kernels with `memory`, which they read and write but never grow. */
export function compiledKernels(memory: WebAssembly.Memory): Kernels {
  const instance = new WebAssembly.Instance(kernelModule(), { env: { memory } });
  return instance.exports as unknown as Kernels;
}
