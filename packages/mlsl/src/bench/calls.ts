/** The calls that are measured: each operation blocking, and as a persistent request. */

import type { Group } from "../collectives/api.js";
import type { PersistentRequest } from "../collectives/requests/requests.js";
import type { ElementArray } from "../memory/dataTypes.js";
import type { BenchPoint } from "./points.js";
import type { Shape } from "./shape.js";

/** A rank's buffers. */
export interface Buffers {
  readonly send: ElementArray | undefined;
  readonly recv: ElementArray | undefined;
}

/** Two forms of one call. */
export interface CallForms {
  readonly sync: () => void;
  readonly persistent: () => PersistentRequest;
}

/** All options that an operation may need; it looks at its own. */
function optionsOf({ rank, ranks }: Group, { algorithm, operator }: BenchPoint, shape: Shape) {
  return {
    ...(algorithm !== undefined && { algorithm }),
    op: operator ?? ("sum" as const),
    ...(operator === "average" && { rounding: "floor" as const }),
    counts: shape.counts,
    sendCounts: shape.counts,
    recvCounts: shape.counts.map(() => shape.counts[rank]!),
    to: (rank + 1) % ranks,
    from: (rank + ranks - 1) % ranks,
  };
}

type Options = ReturnType<typeof optionsOf>;

function reductionForms(
  group: Group,
  op: BenchPoint["op"],
  { send, recv }: Buffers,
  options: Options,
): CallForms | undefined {
  const from = send!;
  const into = recv!;
  switch (op) {
    case "allreduce":
      return {
        sync: () => group.allreduceSync(from, into, options),
        persistent: () => group.allreducePersistent(from, into, options),
      };
    case "reduce":
      return {
        sync: () => group.reduceSync(from, recv, options),
        persistent: () => group.reducePersistent(from, recv, options),
      };
    case "reduceScatter":
      return {
        sync: () => group.reduceScatterSync(from, into, options),
        persistent: () => group.reduceScatterPersistent(from, into, options),
      };
    case "reduceScatterv":
      return {
        sync: () => group.reduceScattervSync(from, into, options),
        persistent: () => group.reduceScattervPersistent(from, into, options),
      };
    default:
      return undefined;
  }
}

function rootedForms(
  group: Group,
  op: BenchPoint["op"],
  { send, recv }: Buffers,
  options: Options,
): CallForms | undefined {
  switch (op) {
    case "broadcast":
      return {
        sync: () => group.broadcastSync(send!, options),
        persistent: () => group.broadcastPersistent(send!, options),
      };
    case "gather":
      return {
        sync: () => group.gatherSync(send!, recv, options),
        persistent: () => group.gatherPersistent(send!, recv, options),
      };
    case "gatherv":
      return {
        sync: () => group.gathervSync(send!, recv, options),
        persistent: () => group.gathervPersistent(send!, recv, options),
      };
    case "scatter":
      return {
        sync: () => group.scatterSync(send, recv!, options),
        persistent: () => group.scatterPersistent(send, recv!, options),
      };
    case "scatterv":
      return {
        sync: () => group.scattervSync(send, recv!, options),
        persistent: () => group.scattervPersistent(send, recv!, options),
      };
    default:
      return undefined;
  }
}

function exchangeForms(
  group: Group,
  op: BenchPoint["op"],
  { send, recv }: Buffers,
  options: Options,
): CallForms {
  const from = send!;
  const into = recv!;
  switch (op) {
    case "allgather":
      return {
        sync: () => group.allgatherSync(from, into, options),
        persistent: () => group.allgatherPersistent(from, into, options),
      };
    case "allgatherv":
      return {
        sync: () => group.allgathervSync(from, into, options),
        persistent: () => group.allgathervPersistent(from, into, options),
      };
    case "alltoall":
      return {
        sync: () => group.alltoallSync(from, into, options),
        persistent: () => group.alltoallPersistent(from, into, options),
      };
    case "alltoallv":
      return {
        sync: () => group.alltoallvSync(from, into, options),
        persistent: () => group.alltoallvPersistent(from, into, options),
      };
    case "sendrecv":
      return {
        sync: () => group.sendrecvSync(from, into, options),
        persistent: () => group.sendrecvPersistent(from, into, options),
      };
    default:
      return {
        sync: () => group.barrierSync(options),
        persistent: () => group.barrierPersistent(options),
      };
  }
}

/** The calls of an operation on given buffers. Options are made once, as programs would. */
export function callForms(
  group: Group,
  point: BenchPoint,
  buffers: Buffers,
  shape: Shape,
): CallForms {
  const options = optionsOf(group, point, shape);
  return (
    reductionForms(group, point.op, buffers, options) ??
    rootedForms(group, point.op, buffers, options) ??
    exchangeForms(group, point.op, buffers, options)
  );
}
