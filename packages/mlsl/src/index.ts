/** MLSL for Node.js: collectives between the ranks of a training job. */

export { type Environment, init, type JobForm } from "./bootstrap/init.js";
export type { Group, GroupStatistics } from "./collectives/api.js";
export { defineOperator, type UserOperator } from "./collectives/operations/operators.js";
export type {
  AlgorithmOptions,
  BlockOptions,
  ExchangeOptions,
  OrderOptions,
  RecvOptions,
  ReduceBlockOptions,
  ReducedInto,
  ReduceOp,
  ReduceOptions,
  ReduceRootOptions,
  RootBlockOptions,
  RootOptions,
  SendOptions,
  SendrecvOptions,
  WaitOptions,
} from "./collectives/options.js";
export type { RequestStatistics } from "./collectives/requests/requestStatistics.js";
export {
  grouped,
  type PersistentRequest,
  type Request,
  waitAll,
  waitAllSync,
  waitAny,
  waitAnySync,
} from "./collectives/requests/requests.js";
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
