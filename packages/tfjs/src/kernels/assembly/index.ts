// The module's exports. Each takes one pointer to its argument block of 32-bit words, so that the
// plain TypeScript twins have the same signature. No managed objects and no static data: the memory
// belongs to TensorFlow.js.
export { depthwiseFilterGradient, depthwiseForward, depthwiseImageGradient } from "./depthwise";
export { gemm } from "./gemm";
export { gateGradient, spreadMiddle } from "./gradients";
export { batchNormForward, batchNormGradient } from "./norm";
export { addPatchesToImage, imageToPatches } from "./patches";
export { maxPoolGradient } from "./pool";
export { addFloatsTo, sumMiddle, sumSegments } from "./reduce";
export { adamUpdate, descentUpdate, momentumUpdate } from "./update";
