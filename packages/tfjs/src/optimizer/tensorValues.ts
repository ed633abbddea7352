/**
 * The values of float32 tensors with as few copies as the backend allows.
 *
 * The WASM backend lets its heap be seen, so values are read and written where they are: its
 * `dataSync` would allocate a fresh array per call, and fresh memory is many times as expensive as
 * the copy. Other backends are read by `dataSync` (free of copies on the cpu backend) and written
 * by making a new tensor.
 */

import { backend, type Tensor, type TensorInfo, tensor, util, zeros } from "@tensorflow/tfjs-core";

/** The part of the WASM backend that is used here. */
interface HeapBackend {
  typedArrayFromHeap(tensor: TensorInfo): Float32Array | Int32Array | Uint8Array;
  refCount(dataId: object): number;
}

/** A tensor whose values are about to be written. */
export interface Target {
  /** Where they are to be written, valid until the next operation on any tensor. */
  values(): Float32Array;
  /** The tensor that holds what was written. */
  toTensor(): Tensor;
}

/** The active backend's heap, or undefined where there is none to be seen. */
function heapBackend(): HeapBackend | undefined {
  const active: object = backend();
  const known = "typedArrayFromHeap" in active && typeof active.typedArrayFromHeap === "function";
  return known ? (active as HeapBackend) : undefined;
}

/**
 * The values of a float32 tensor, valid until the next operation on any tensor: the heap may grow
 * then, and a view of the old one would be empty. Not to be written.
 */
export function valuesOf(source: Tensor): Float32Array {
  const heap = heapBackend();
  return (heap ? heap.typedArrayFromHeap(source) : source.dataSync()) as Float32Array;
}

/**
 * Whether the tensor may be overwritten: its values can be seen, and no other tensor shares them
 * as, for example, a reshaped one or two equal gradients do.
 */
export function isWritable(candidate: Tensor): boolean {
  return heapBackend()?.refCount(candidate.dataId) === 1;
}

/**
 * A float32 tensor to be written.
 *
 * @param reuse a writable tensor; undefined for a new one, which the caller then owns
 */
export function targetOf(reuse: Tensor | undefined, shape: readonly number[]): Target {
  if (heapBackend()) {
    const held = reuse ?? zeros([...shape]);
    return { values: () => valuesOf(held), toTensor: () => held };
  }
  const values = new Float32Array(util.sizeFromShape([...shape]));
  return { values: () => values, toTensor: () => tensor(values, [...shape], "float32") };
}
