import { test } from "node:test";
import {
  ALGORITHMS,
  type Algorithm,
  findAlgorithm,
  TRANSPORT_KINDS,
} from "../schedules/transport/registry.js";
import type { ShapeOf, TransportKind } from "../schedules/transport/shapes.js";
import { prove, proveOnce } from "./transportProof.js";

/** Beyond what transportProof.test.ts plays one by one. */
const RANKS = [127, 257];
/** Played once, for collectives whose data grows with the square of the ranks. */
const SQUARE_RANKS = [128, 201];
/** Played once, for collectives whose data does not grow with the square of the ranks. */
const MOST_RANKS = [511, 1000, 1024];
/** Rather fewer than ranks, so that most blocks of a vector are empty. */
const COUNTS = [1, 130];

const SQUARE: ReadonlySet<TransportKind> = new Set<TransportKind>([
  "reduceScatter",
  "reduceScatterv",
  "allgather",
  "allgatherv",
  "alltoall",
  "alltoallv",
]);

for (const kind of TRANSPORT_KINDS) {
  for (const one of ALGORITHMS[kind]) {
    const algorithm = one as Algorithm<ShapeOf[typeof kind]>;
    test(`${kind} ${algorithm.name} is right for more ranks`, () => {
      if (SQUARE.has(kind)) {
        for (const ranks of SQUARE_RANKS) {
          proveOnce({ kind, algorithm, size: { ranks, root: 0, count: 1 } });
        }
        return;
      }
      for (const count of kind === "barrier" ? [1] : COUNTS) {
        for (const ranks of RANKS) {
          prove({ kind, algorithm, size: { ranks, root: ranks - 2, count } }, ranks);
        }
      }
      for (const ranks of MOST_RANKS) {
        proveOnce({ kind, algorithm, size: { ranks, root: Math.floor(ranks / 3), count: 7 } });
      }
    });
  }
}

/** One of each collective whose data grows with the square of the ranks: a million elements. */
for (const [kind, name] of [
  ["reduceScatter", "recursiveHalving"],
  ["allgather", "recursiveDoubling"],
  ["alltoall", "pairwise"],
] as const) {
  test(`${kind} ${name} is right for 1024 ranks`, () => {
    const algorithm = findAlgorithm<TransportKind>(kind, name);
    proveOnce<TransportKind>({ kind, algorithm, size: { ranks: 1024, root: 0, count: 1 } });
  });
}
