/** MLSL for Node.js: collectives between the ranks of a training job. */

export { type Environment, init, type JobForm } from "./bootstrap/init.js";
export type {
  AllreduceOptions,
  BroadcastOptions,
  Group,
  GroupStatistics,
  ReduceOp,
  Request,
  WaitOptions,
} from "./collectives/api.js";
export {
  CommunicationError,
  GroupClosedError,
  type LostRank,
  MismatchError,
  type OperationPlace,
  RankLostError,
  TimeoutError,
} from "./errors/communicationErrors.js";
export { SegmentFullError, type SegmentShortage } from "./errors/segmentFullError.js";
export type { ArrayOf, DataType, ElementArray } from "./memory/dataTypes.js";
export { BFloat16View, Float16View, type HalfView } from "./memory/halfViews.js";
export type {
  ExitedStatus,
  RankStatus,
  RunningStatus,
  SignalledStatus,
} from "./memory/rankStatus.js";
