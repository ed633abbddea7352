// Tile, by copies of whole blocks; the backend's own computes an index for each element.
import type { TensorInfo } from "@tensorflow/tfjs-core";
import { elementCount, type KernelHost } from "./host.js";
import type { KernelOverride } from "./override.js";

/** Bytes of a float32 or int32 element. */
const ELEMENT_BYTES = 4;

/** [outer, block] becomes [outer, reps, block]. */
function repeatBlocks(host: KernelHost, x: TensorInfo, block: number, reps: number): TensorInfo {
  const count = elementCount(x.shape);
  const y = host.output([count * reps], x.dtype);
  const from = host.bytes(x);
  const to = host.bytes(y);
  const byteLength = block * ELEMENT_BYTES;
  for (let source = 0, target = 0; source < from.length; source += byteLength) {
    const end = target + byteLength * reps;
    to.set(from.subarray(source, source + byteLength), target);
    // Doubling: what is there is copied behind itself until the reps are full.
    for (let filled = byteLength; target + filled < end; filled *= 2) {
      to.copyWithin(target + filled, target, target + Math.min(filled, end - target - filled));
    }
    target = end;
  }
  return y;
}

/** Repeats a tensor along its axes. */
export const tile: KernelOverride = {
  kernelName: "Tile",
  run: ({ host, inputs, attrs }) => {
    const x = inputs.x!;
    const reps = attrs.reps as readonly number[];
    if (x.dtype !== "float32" && x.dtype !== "int32") return undefined;
    const shape = x.shape.map((size, i) => size * (reps[i] ?? 1));
    if (shape.includes(0) || reps.length !== shape.length || elementCount(reps) === 1) {
      return undefined;
    }
    // From the last axis to the first; an axis waits for the next one while it has only one element.
    let result = x;
    let block = 1;
    let waiting = 1;
    for (let i = shape.length - 1; i >= 0; i--) {
      block *= x.shape[i]!;
      waiting *= reps[i]!;
      const previousIsOne = i > 0 && x.shape[i - 1] === 1;
      if (waiting === 1 || previousIsOne) continue;
      const next = repeatBlocks(host, result, block, waiting);
      if (result !== x) host.backend.disposeData(result.dataId);
      result = next;
      block *= waiting;
      waiting = 1;
    }
    return { dataId: result.dataId, shape, dtype: x.dtype };
  },
};
