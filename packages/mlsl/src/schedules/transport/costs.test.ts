import assert from "node:assert/strict";
import { test } from "node:test";
import { proveOnce } from "../../testing/transport/transportProof.js";
import { powerOfTwoBelow } from "./fold.js";
import { ALGORITHMS, type Algorithm, TRANSPORT_KINDS } from "./registry.js";
import type { ShapeOf, TransportKind } from "./shapes.js";

/** Every number up to 20, and around powers of two. */
const RANKS = [...Array.from({ length: 20 }, (_, i) => i + 1), 31, 32, 33, 34, 63, 64, 65];
const VECTORS: readonly TransportKind[] = ["broadcast", "reduce", "allreduce"];

/** Vectors divide evenly among the ranks, the members of a fold and two trees. */
function countFor(kind: TransportKind, ranks: number): number {
  if (!VECTORS.includes(kind)) return 2;
  let count = 2 * ranks;
  while (count % powerOfTwoBelow(ranks) !== 0) count *= 2;
  return count;
}

/** The variable kinds run the same algorithms, on blocks that do not touch. */
for (const kind of TRANSPORT_KINDS.filter((name) => !name.endsWith("v"))) {
  for (const one of ALGORITHMS[kind]) {
    const algorithm = one as Algorithm<ShapeOf[typeof kind]>;
    test(`${kind} ${algorithm.name} takes the rounds and sends the elements of its formula`, () => {
      for (const ranks of RANKS) {
        const count = countFor(kind, ranks);
        const size = { ranks, root: 0, count };
        const { rounds, sentCount } = proveOnce({ kind, algorithm, size });
        const formula = algorithm.cost(ranks, count);
        const where = `${ranks} ranks`;
        assert.equal(sentCount, formula.sentCount, where);
        if (algorithm.name === "doubleTree") {
          // Its formula is a bound: no more, and not so loose as to say nothing.
          assert.ok(rounds <= formula.rounds, where);
          assert.ok(2 * rounds >= formula.rounds, where);
        } else {
          assert.equal(rounds, formula.rounds, where);
        }
      }
    });
  }
}
