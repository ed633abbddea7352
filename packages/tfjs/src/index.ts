/** TensorFlow.js on MLSL: data-parallel training in `model.fit`. */

export { DistributedOptimizer } from "./optimizer/distributedOptimizer.js";
