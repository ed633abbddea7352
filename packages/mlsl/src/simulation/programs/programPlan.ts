/** A random program as plain data: the same seed, the same program. */

import { ORDER_MODES, type OrderMode } from "../../engine/order.js";
import { ALGORITHMS, TRANSPORT_KINDS } from "../../schedules/transport/registry.js";
import type { TransportKind } from "../../schedules/transport/shapes.js";
import type { KernelSpeeds } from "../cluster.js";
import type { FaultSpec } from "../faults.js";
import type { NetworkSpec } from "../network.js";
import { Random } from "../random.js";
import type { OperatorName } from "./operators.js";

/** One collective of a group. */
export interface CollectivePlan {
  /** Index of its group. */
  readonly group: number;
  readonly kind: TransportKind;
  readonly algorithm: string;
  /** Rank of the group. */
  readonly root: number;
  readonly count: number;
  readonly elementBytes: number;
  readonly operator: OperatorName;
  readonly inPlace: boolean;
  /** How often it is started; one that is not persistent, once. */
  readonly starts: number;
  readonly persistent: boolean;
  readonly name?: string;
  readonly priority?: number;
  readonly timeoutMs: number;
}

/** What makes some requests fail. */
export type Accident =
  /** Ranks of its group ask for something else than the others. */
  | { readonly kind: "mismatch"; readonly collective: number; readonly ranks: readonly number[] }
  /** A rank of its group never starts it. */
  | { readonly kind: "absent"; readonly collective: number; readonly rank: number }
  | { readonly kind: "death"; readonly rank: number; readonly atMs: number }
  | { readonly kind: "disconnect"; readonly ranks: readonly number[]; readonly atMs: number };

/** What the ranks of a cluster do. */
export interface ProgramPlan {
  readonly seed: number;
  readonly network: NetworkSpec;
  readonly mode: OrderMode;
  readonly chunkBytes: number;
  readonly windowBytes: number;
  readonly kernels: KernelSpeeds;
  readonly faults: FaultSpec;
  /** Ranks of the job by group, in its order. */
  readonly groups: readonly (readonly number[])[];
  readonly collectives: readonly CollectivePlan[];
  /** Ranks start what they start within this time. */
  readonly spreadMs: number;
  /** Ranks that start a collective only when the one before is over. */
  readonly blocking: readonly number[];
  /** Groups in which all requests are posted when it is opened, and started in any order. */
  readonly upfront: readonly number[];
  readonly accident?: Accident;
}

const MAX_RANKS = 16;
/** Far beyond what any program takes. */
const NEVER_MS = 1e6;
/** Far beyond what a program takes whose ranks all come, so that only the absent is missed. */
const ABSENT_TIMEOUT_MS = 5000;

/** Bytes of chunks: less than an element, a few, and more than any message. */
const CHUNK_BYTES = [1, 16, 48, 200, 1000, 100000];
/** Elements: none, one, odd, more than ranks. */
const COUNTS = [0, 1, 2, 3, 5, 7, 16, 33, 64, 129];
/** With chunks of an element, more than this is only more of the same. */
const FEW = 16;

const REDUCTIONS: ReadonlySet<TransportKind> = new Set<TransportKind>([
  "reduce",
  "allreduce",
  "reduceScatter",
  "reduceScatterv",
]);

function anyNetwork(ranks: number, random: Random): NetworkSpec {
  return {
    ranks,
    ranksPerHost: random.pick([1, 1, 2, 4]),
    latencyMs: random.pick([0, 0.001, 0.01, 1]),
    bandwidthGBps: random.pick([0.0001, 0.01, 1, 10]),
    overheadMs: random.pick([0, 0.0005, 0.01]),
  };
}

function anyFaults(random: Random): FaultSpec {
  if (random.chance(0.2)) return {};
  return {
    delayShare: random.pick([0, 0.1, 0.5, 1]),
    delayMs: random.pick([0.01, 0.5, 5]),
    splitShare: random.pick([0, 0.5, 1]),
    linkStallShare: random.pick([0, 0.02]),
    rankStallShare: random.pick([0, 0.05]),
    stallMs: random.pick([0.1, 3]),
  };
}

/** The group of all, and some of its parts; two may have the same members. */
function anyGroups(ranks: number, random: Random): number[][] {
  const all = Array.from({ length: ranks }, (_, rank) => rank);
  const groups = [all];
  for (let i = random.below(4); i > 0; i--) {
    const members = random.shuffle([...all]).slice(0, 1 + random.below(ranks));
    groups.push(random.chance(0.5) ? members : members.sort((a, b) => a - b));
  }
  return groups;
}

function operatorFor(kind: TransportKind, keepsOrder: boolean, random: Random): OperatorName {
  if (!REDUCTIONS.has(kind)) return "sum";
  return random.pick(keepsOrder ? ["affine", "grouped"] : ["sum", "grouped"]);
}

function anyCollective(
  groups: readonly (readonly number[])[],
  chunkBytes: number,
  random: Random,
): CollectivePlan {
  const group = random.below(groups.length);
  const kind = random.pick(TRANSPORT_KINDS);
  const { name: algorithm, keepsOrder } = random.pick(ALGORITHMS[kind] as readonly Named[]);
  const elementBytes = random.pick([1, 2, 4, 8]);
  const isFine = chunkBytes < 8 * elementBytes;
  const persistent = random.chance(0.3);
  return {
    group,
    kind,
    algorithm,
    root: random.below(groups[group]!.length),
    count: random.pick(isFine ? COUNTS.filter((count) => count <= FEW) : COUNTS),
    elementBytes,
    operator: operatorFor(kind, keepsOrder, random),
    inPlace: random.chance(0.5),
    starts: persistent ? 1 + random.below(4) : 1,
    persistent,
    ...(random.chance(0.3) && { name: random.pick(["a", "b", "c"]) }),
    ...(random.chance(0.5) && { priority: random.below(4) }),
    timeoutMs: NEVER_MS,
  };
}

interface Named {
  readonly name: string;
  readonly keepsOrder: boolean;
}

type Draft = Omit<ProgramPlan, "accident">;

function anyAccident({ network, groups, collectives, spreadMs }: Draft, random: Random): Accident {
  const { ranks } = network;
  const collective = random.below(collectives.length);
  const { length } = groups[collectives[collective]!.group]!;
  const atMs = random.next() * 1.5 * spreadMs;
  const rank = random.below(ranks);
  const kinds = ["death", "death", "disconnect"];
  if (length > 1) kinds.push("mismatch", "mismatch", "absent");
  const kind = random.pick(kinds);
  if (kind === "death") return { kind, rank, atMs };
  if (kind === "absent") return { kind, collective, rank: random.below(length) };
  if (kind === "disconnect") {
    return { kind, ranks: [rank, (rank + 1 + random.below(ranks - 1)) % ranks], atMs };
  }
  const places = random.shuffle(Array.from({ length }, (_, place) => place));
  return { kind: "mismatch", collective, ranks: places.slice(0, 1 + random.below(length - 1)) };
}

/** The program of a seed. */
export function planProgram(seed: number): ProgramPlan {
  const random = new Random(seed);
  const ranks = 2 + random.below(random.chance(0.5) ? 5 : MAX_RANKS - 1);
  const chunkBytes = random.pick(CHUNK_BYTES);
  const groups = anyGroups(ranks, random);
  const speeds = [Number.POSITIVE_INFINITY, 0.001, 1];
  const draft: Draft = {
    seed,
    network: anyNetwork(ranks, random),
    mode: random.pick(ORDER_MODES),
    chunkBytes,
    windowBytes: random.pick([1, chunkBytes, 2 * chunkBytes, 10000, 1e6]),
    kernels: { combineGBps: random.pick(speeds), copyGBps: random.pick(speeds) },
    faults: anyFaults(random),
    groups,
    collectives: Array.from({ length: 1 + random.below(8) }, () =>
      anyCollective(groups, chunkBytes, random),
    ),
    spreadMs: random.pick([0, 0.05, 1, 20]),
    blocking: groups[0]!.filter(() => random.chance(0.25)),
    upfront: groups.map((_, group) => group).filter(() => random.chance(0.3)),
  };
  if (!random.chance(0.25)) return draft;
  const accident = anyAccident(draft, random);
  if (accident.kind !== "absent") return { ...draft, accident };
  const collectives = draft.collectives.map((one, index) =>
    index === accident.collective ? { ...one, timeoutMs: ABSENT_TIMEOUT_MS } : one,
  );
  return { ...draft, collectives, accident };
}
