/** MLSL for Node.js: collectives between the ranks of a training job. */

export type {
  AllreduceOptions,
  BroadcastOptions,
  Group,
  GroupStatistics,
  ReduceOp,
  Request,
  WaitOptions,
} from "./collectives/api.js";
export type { DataType, ElementArray } from "./memory/dataTypes.js";
