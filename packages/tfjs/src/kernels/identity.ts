// Identity, and Cast to the same type: another reference to the same data, as the cpu and WebGL
// backends have it; the backend's own copies. Each training step reads each variable this way.
import type { KernelOverride } from "./override.js";

/** The same data once more. */
export const identity: KernelOverride = {
  kernelName: "Identity",
  run: ({ host, inputs }) => {
    const { dataId, shape, dtype } = inputs.x!;
    host.backend.incRef(dataId);
    return { dataId, shape, dtype };
  },
};

/** The same data once more if the type stays. */
export const cast: KernelOverride = {
  kernelName: "Cast",
  run: ({ host, inputs, attrs }) => {
    const { dataId, shape, dtype } = inputs.x!;
    if (dtype !== attrs.dtype) return undefined;
    host.backend.incRef(dataId);
    return { dataId, shape, dtype };
  },
};
