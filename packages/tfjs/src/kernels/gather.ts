// GatherV2 along the first axis, by copies of whole rows: how `model.fit` takes a batch out of all
// samples. The backend's own computes an index for each element.
import { elementCount } from "./host.js";
import type { KernelOverride } from "./override.js";

/** Bytes of a float32 or int32 element. */
const ELEMENT_BYTES = 4;

/** Rows of a tensor by their numbers; numbers out of range are left to the backend's own kernel. */
export const gatherRows: KernelOverride = {
  kernelName: "GatherV2",
  run: ({ host, inputs, attrs }) => {
    const [x, indices] = [inputs.x!, inputs.indices!];
    const axis = attrs.axis as number;
    const batchDims = (attrs.batchDims as number | undefined) ?? 0;
    if (x.dtype !== "float32" && x.dtype !== "int32") return undefined;
    if (indices.dtype !== "int32" || axis !== 0 || batchDims !== 0) return undefined;
    const [rows = 0, ...rowShape] = x.shape;
    const count = elementCount(indices.shape);
    const rowBytes = elementCount(rowShape) * ELEMENT_BYTES;
    if (count === 0 || rowBytes === 0) return undefined;
    const y = host.output([...indices.shape, ...rowShape], x.dtype);
    // Views are taken after the output was made, which may have moved the heap's buffer.
    const { buffer, byteOffset } = host.bytes(indices);
    const numbers = new Int32Array(buffer, byteOffset, count);
    if (!numbers.every((row) => row >= 0 && row < rows)) {
      host.backend.disposeData(y.dataId);
      return undefined;
    }
    const [from, to] = [host.bytes(x), host.bytes(y)];
    for (let i = 0; i < count; i++) {
      const start = numbers[i]! * rowBytes;
      to.set(from.subarray(start, start + rowBytes), i * rowBytes);
    }
    return y;
  },
};
