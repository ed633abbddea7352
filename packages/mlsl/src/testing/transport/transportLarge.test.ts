import { test } from "node:test";
import {
  ALGORITHMS,
  type Algorithm,
  findAlgorithm,
  TRANSPORT_KINDS,
} from "../../schedules/transport/registry.js";
import type { ShapeOf, TransportKind } from "../../schedules/transport/shapes.js";
import { prove, proveOnce } from "./transportProof.js";

/** Beyond what transportProof.test.ts plays one by one. */
const RANKS = [127, 257];
/** Played once, for collectives whose data grows with the square of the ranks. */
const SQUARE_RANKS = [129];
/** Played once, for collectives whose data does not grow with the square of the ranks. */
const MOST_RANKS = [1000, 1024];
/** More than some of RANKS and fewer than others: some blocks of a vector are empty. */
const COUNT = 130;

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
      for (const ranks of RANKS) {
        prove({ kind, algorithm, size: { ranks, root: ranks - 2, count: COUNT } }, ranks);
      }
      for (const ranks of MOST_RANKS) {
        proveOnce({ kind, algorithm, size: { ranks, root: Math.floor(ranks / 3), count: 7 } });
      }
    });
  }
}

/** One of each collective whose data grows with the square of the ranks too. */
for (const [kind, name, ranks] of [
  ["reduceScatter", "recursiveHalving", 1024],
  ["allgather", "recursiveDoubling", 1024],
  ["alltoall", "pairwise", 512],
] as const) {
  test(`${kind} ${name} is right for ${ranks} ranks`, () => {
    const algorithm = findAlgorithm<TransportKind>(kind, name);
    proveOnce<TransportKind>({ kind, algorithm, size: { ranks, root: 0, count: 1 } });
  });
}
