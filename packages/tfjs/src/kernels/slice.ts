// Slice of neighbouring rows, by one copy: how `model.predict` and `model.evaluate` take a batch out
// of all samples. The backend's own copies the whole tensor first.
import { slice_util } from "@tensorflow/tfjs-core";
import { elementCount } from "./host.js";
import type { KernelOverride } from "./override.js";

/** Bytes of a float32 or int32 element. */
const ELEMENT_BYTES = 4;

/** A part of a tensor whose elements lie one after the other. */
export const sliceRows: KernelOverride = {
  kernelName: "Slice",
  run: ({ host, inputs, attrs }) => {
    const x = inputs.x!;
    if (x.dtype !== "float32" && x.dtype !== "int32") return undefined;
    // The second argument is declared as a tensor, but only its shape is looked at.
    const parameters = attrs as { begin: number[]; size: number[] };
    const tensor = x as Parameters<typeof slice_util.parseSliceParams>[0];
    const [begin = [], size = []] = slice_util.parseSliceParams(
      tensor,
      parameters.begin,
      parameters.size,
    );
    const isEmpty = elementCount(size) === 0;
    if (isEmpty || !slice_util.isSliceContinous(x.shape, begin, size)) return undefined;
    const y = host.output(size, x.dtype);
    let start = 0;
    for (const [axis, length] of x.shape.entries()) start = start * length + begin[axis]!;
    const byteStart = start * ELEMENT_BYTES;
    const to = host.bytes(y);
    to.set(host.bytes(x).subarray(byteStart, byteStart + to.length));
    return y;
  },
};
