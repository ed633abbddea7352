/** TensorFlow.js on MLSL: data-parallel training in `model.fit`. */

export { type Place, type ShardableData, type ShardOptions, shard } from "./data/shard.js";
export { shuffleIndices } from "./data/shuffleIndices.js";
export { registerTrainingKernels } from "./kernels/register.js";
export { useWasmBackend } from "./kernels/setup.js";
export { DistributedOptimizer } from "./optimizer/distributedOptimizer.js";
export { type BroadcastWeightsOptions, broadcastWeights } from "./weights/broadcastWeights.js";
