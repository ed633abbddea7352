import { test } from "node:test";
import fc from "fast-check";
import { ALGORITHMS, type Algorithm, TRANSPORT_KINDS } from "../../schedules/transport/registry.js";
import type { ShapeOf, TransportKind } from "../../schedules/transport/shapes.js";
import { prove } from "./transportProof.js";

/** Up to this every number of ranks is played. */
const ALL_RANKS = 64;
/** None, one, a prime, and one more: fewer and more than most numbers of ranks. */
const COUNTS = [0, 1, 5, 67];
/** Up to this every root is played. */
const ALL_ROOTS_RANKS = 9;

const ROOTED: ReadonlySet<TransportKind> = new Set<TransportKind>([
  "broadcast",
  "reduce",
  "gather",
  "gatherv",
  "scatter",
  "scatterv",
]);

function rootsOf(kind: TransportKind, ranks: number): number[] {
  if (!ROOTED.has(kind)) return [0];
  if (ranks <= ALL_ROOTS_RANKS) return Array.from({ length: ranks }, (_, root) => root);
  return [...new Set([0, Math.floor(ranks / 2), (ranks * 7) % (ranks - 2), ranks - 1])];
}

/**
 * Vectors are cut in n parts, so their count matters beyond n; blocks need not be long, and with
 * many ranks each number of them takes one of two counts.
 */
function countsOf(kind: TransportKind, ranks: number): number[] {
  if (kind === "barrier") return [1];
  const isVector = kind === "broadcast" || kind === "reduce" || kind === "allreduce";
  if (isVector || ranks <= 8) return COUNTS;
  if (ranks <= 32) return [0, 1, 3];
  return [0, ranks % 3 === 0 ? 3 : 1];
}

for (const kind of TRANSPORT_KINDS) {
  for (const one of ALGORITHMS[kind]) {
    const algorithm = one as Algorithm<ShapeOf[typeof kind]>;
    test(`${kind} ${algorithm.name} is right for 1 to ${ALL_RANKS} ranks`, () => {
      for (let ranks = 1; ranks <= ALL_RANKS; ranks++) {
        for (const root of rootsOf(kind, ranks)) {
          for (const count of countsOf(kind, ranks)) {
            prove({ kind, algorithm, size: { ranks, root, count } }, ranks);
          }
        }
      }
    });
  }
}

const VARIABLE = TRANSPORT_KINDS.filter((kind) => kind.endsWith("v"));

test("variable collectives are right for any counts", () => {
  const sizes = fc.integer({ min: 1, max: 9 }).chain((ranks) =>
    fc.record({
      ranks: fc.constant(ranks),
      root: fc.nat({ max: ranks - 1 }),
      counts: fc.array(fc.nat({ max: 6 }), { minLength: ranks * ranks, maxLength: ranks * ranks }),
    }),
  );
  fc.assert(
    fc.property(sizes, fc.nat(), ({ ranks, root, counts }, seed) => {
      const countOf = (from: number, to: number) => counts[from * ranks + to]!;
      for (const kind of VARIABLE) {
        for (const one of ALGORITHMS[kind]) {
          const algorithm = one as Algorithm<ShapeOf[typeof kind]>;
          prove({ kind, algorithm, size: { ranks, root, count: 1, countOf } }, seed);
        }
      }
    }),
  );
});
