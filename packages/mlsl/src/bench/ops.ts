/** The operations that can be measured, and what is known of each. */

import type { CollectiveKind } from "../collectives/operations/operation.js";

/** All names, in the order of the results. */
export const BENCH_OPS = [
  "allreduce",
  "reduce",
  "reduceScatter",
  "broadcast",
  "allgather",
  "gather",
  "scatter",
  "alltoall",
  "barrier",
  "sendrecv",
  "reduceScatterv",
  "allgatherv",
  "gatherv",
  "scatterv",
  "alltoallv",
] as const;
/** Name of an operation. */
export type BenchOp = (typeof BENCH_OPS)[number];

/** How the vector that `bytes` counts is divided among the ranks. */
type Division = "whole" | "equal" | "varying";

/** What is known of an operation. */
export interface OpFacts {
  /** Absent for messages, for which there is one algorithm only. */
  readonly kind: CollectiveKind | undefined;
  readonly division: Division;
  readonly reduces: boolean;
  /** Whether one buffer can be part of the other; never, always, or as the caller likes. */
  readonly inPlace: "never" | "always" | "either";
  /**
   * Factor from algorithm to bus bandwidth: what share of the vector each rank's link must carry at
   * least, in each direction. As nccl-tests defines it (doc/PERFORMANCE.md there), which makes
   * figures comparable over operations and ranks.
   */
  readonly busFactor: (ranks: number) => number;
}

const ONCE = (): number => 1;
const OTHERS = (ranks: number): number => (ranks - 1) / ranks;
const TWICE_OTHERS = (ranks: number): number => (2 * (ranks - 1)) / ranks;

function reduction(
  kind: CollectiveKind,
  division: Division,
  busFactor: OpFacts["busFactor"],
): OpFacts {
  return { kind, division, reduces: true, inPlace: "either", busFactor };
}

function move(kind: CollectiveKind, division: Division): OpFacts {
  return { kind, division, reduces: false, inPlace: "either", busFactor: OTHERS };
}

const FACTS: Readonly<Record<BenchOp, OpFacts>> = {
  allreduce: reduction("allreduce", "whole", TWICE_OTHERS),
  reduce: reduction("reduce", "whole", ONCE),
  reduceScatter: reduction("reduceScatter", "equal", OTHERS),
  broadcast: { ...move("broadcast", "whole"), inPlace: "always", busFactor: ONCE },
  allgather: move("allgather", "equal"),
  gather: move("gather", "equal"),
  scatter: move("scatter", "equal"),
  alltoall: move("alltoall", "equal"),
  barrier: { ...move("barrier", "whole"), inPlace: "never", busFactor: ONCE },
  sendrecv: {
    ...{ kind: undefined, division: "whole", reduces: false },
    ...{ inPlace: "never", busFactor: ONCE },
  },
  reduceScatterv: reduction("reduceScatterv", "varying", OTHERS),
  allgatherv: move("allgatherv", "varying"),
  gatherv: move("gatherv", "varying"),
  scatterv: move("scatterv", "varying"),
  alltoallv: { ...move("alltoallv", "varying"), inPlace: "never" },
};

/** What is known of an operation. */
export function factsOf(op: BenchOp): OpFacts {
  return FACTS[op];
}
