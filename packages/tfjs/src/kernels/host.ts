// The WASM backend of TensorFlow.js as the kernels see it: addresses of tensors, room for outputs,
// scratch that is kept between calls.
import type { DataType, TensorInfo } from "@tensorflow/tfjs-core";
import { ARGUMENT_WORDS, GEMM_SCRATCH_FLOATS, KernelCalls } from "./calls.js";
import { compiledKernels } from "./compiled.js";

/** The members of `BackendWasm` 4.22.0 that the kernels stand on. */
export interface WasmBackend {
  readonly wasm: {
    readonly asm: { readonly memory: WebAssembly.Memory };
    _malloc(byteLength: number): number;
    _free(address: number): void;
  };
  readonly dataIdMap: { get(dataId: object): { readonly memoryOffset: number } };
  makeOutput(shape: number[], dtype: DataType): TensorInfo;
  incRef(dataId: object): void;
  disposeData(dataId: object): boolean;
}

/** The version of the backend that these kernels were tested with. */
export const TESTED_VERSION = "4.22.0";

/** Bytes of a cache line. Vectors that cross one are read twice. */
const LINE_BYTES = 64;

/** Memory of the heap: what to free, and where the first whole cache line is. */
interface Room {
  readonly base: number;
  readonly address: number;
}

/** Room that the kernels keep in a backend's heap, and access to its tensors. */
export class KernelHost {
  readonly backend: WasmBackend;
  readonly calls: KernelCalls;
  #scratch: Room = { base: 0, address: 0 };
  #scratchByteLength = 0;

  /** @throws Error If the heap has no room left */
  constructor(backend: WasmBackend) {
    this.backend = backend;
    const { memory } = backend.wasm.asm;
    const { address } = this.#allocate((ARGUMENT_WORDS + GEMM_SCRATCH_FLOATS) * 4);
    this.calls = new KernelCalls(memory, compiledKernels(memory), address);
  }

  /** The tensor's address in bytes. It holds until the tensor is disposed; heap growth is no matter. */
  address(info: TensorInfo): number {
    return this.backend.dataIdMap.get(info.dataId).memoryOffset;
  }

  /** A new tensor with undefined contents; the caller owns it. */
  output(shape: readonly number[], dtype: DataType = "float32"): TensorInfo {
    return this.backend.makeOutput([...shape], dtype);
  }

  /** A new float32 tensor of zeros; the caller owns it. */
  zeros(shape: readonly number[]): TensorInfo {
    const info = this.output(shape);
    this.clear(this.address(info), 4 * elementCount(shape));
    return info;
  }

  /** Writes zeros. */
  clear(address: number, byteLength: number): void {
    new Uint8Array(this.backend.wasm.asm.memory.buffer, address, byteLength).fill(0);
  }

  /** The tensor's bytes (4 an element). Stale after the next allocation: take it again. */
  bytes(info: TensorInfo): Uint8Array {
    const { buffer } = this.backend.wasm.asm.memory;
    return new Uint8Array(buffer, this.address(info), 4 * elementCount(info.shape));
  }

  /**
   * Address of scratch that is kept and grows to the largest size asked for. There is one: the next
   * call may hand out the same bytes.
   * @throws Error If the heap has no room left
   */
  scratch(byteLength: number): number {
    if (byteLength > this.#scratchByteLength) {
      if (this.#scratch.base !== 0) this.backend.wasm._free(this.#scratch.base);
      this.#scratchByteLength = 0;
      this.#scratch = { base: 0, address: 0 };
      this.#scratch = this.#allocate(byteLength);
      this.#scratchByteLength = byteLength;
    }
    return this.#scratch.address;
  }

  /** Room that begins with a cache line; the backend's own alignment is 8 bytes. */
  #allocate(byteLength: number): Room {
    // bits: _malloc returns the unsigned 32-bit address as a signed number.
    const base = this.backend.wasm._malloc(byteLength + LINE_BYTES) >>> 0;
    if (base === 0) {
      throw new Error(
        `Cannot reserve ${byteLength} bytes of kernel scratch: the heap of the WASM backend is full ` +
          `at ${this.backend.wasm.asm.memory.buffer.byteLength} bytes; use a smaller batch`,
      );
    }
    return { base, address: Math.ceil(base / LINE_BYTES) * LINE_BYTES };
  }
}

const hosts = new WeakMap<object, KernelHost>();

/** The host of a backend, made at the first call. Takes what a kernel function gets as `backend`. */
export function hostOf(backend: object): KernelHost {
  let host = hosts.get(backend);
  if (host === undefined) {
    host = new KernelHost(backend as WasmBackend);
    hosts.set(backend, host);
  }
  return host;
}

/** Product of a shape's sizes. */
export function elementCount(shape: readonly number[]): number {
  let count = 1;
  for (const size of shape) count *= size;
  return count;
}
