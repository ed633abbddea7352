import assert from "node:assert/strict";
import { test } from "node:test";
import { prove, proveOnce } from "../../testing/transport/transportProof.js";
import { ringAllreduce } from "./ring.js";
import type { CountShape } from "./shapes.js";
import { squareSides, torusAllreduce, torusCost } from "./torus.js";

/** None, one, a prime, and one more: fewer and more than most numbers of ranks. */
const COUNTS = [0, 1, 5, 67];

function algorithmOf(sides: readonly number[]) {
  return {
    name: `torus of ${sides.join(" × ")}`,
    keepsOrder: false,
    build: (shape: CountShape) => torusAllreduce({ ...shape, sides }),
  };
}

const SIDES = [
  [1],
  [5],
  [1, 3],
  [3, 1],
  [2, 2],
  [2, 3],
  [3, 2],
  [4, 4],
  [5, 7],
  [8, 8],
  [2, 3, 5],
  [4, 2, 3],
  [2, 2, 2, 2],
];
const ranksOf = (sides: readonly number[]): number => sides.reduce((a, b) => a * b, 1);

test("it is right on grids of one to four sides", () => {
  for (const sides of SIDES) {
    const ranks = ranksOf(sides);
    for (const count of COUNTS) {
      prove(
        { kind: "allreduce", algorithm: algorithmOf(sides), size: { ranks, root: 0, count } },
        1,
      );
    }
  }
});

test("it is right for every number of ranks up to 40 on its squarest grid", () => {
  for (let ranks = 1; ranks <= 40; ranks++) {
    const size = { ranks, root: 0, count: 67 };
    prove({ kind: "allreduce", algorithm: algorithmOf(squareSides(ranks)), size }, ranks);
  }
});

test("it is right for a thousand ranks", () => {
  const size = { ranks: 1000, root: 0, count: 130 };
  for (const sides of [
    [40, 25],
    [10, 10, 10],
  ]) {
    proveOnce({ kind: "allreduce", algorithm: algorithmOf(sides), size });
  }
});

test("it takes the rounds and sends the elements of its formula", () => {
  for (const sides of SIDES) {
    const [ranks, count] = [ranksOf(sides), 4 * ranksOf(sides)];
    const size = { ranks, root: 0, count };
    const played = proveOnce({ kind: "allreduce", algorithm: algorithmOf(sides), size });
    const { rounds, sentCount } = torusCost(count, sides);
    assert.equal(played.rounds, rounds, sides.join(" × "));
    assert.ok(Math.abs(played.sentCount - sentCount) < 1e-6, sides.join(" × "));
  }
});

test("one side is a ring", () => {
  for (let rank = 0; rank < 5; rank++) {
    const shape = { rank, ranks: 5, count: 12 };
    assert.deepEqual(torusAllreduce({ ...shape, sides: [5] }), ringAllreduce(shape));
  }
});

test("the squarest grid has its longer side first", () => {
  const of = (ranks: number): string => squareSides(ranks).join("×");
  assert.deepEqual([1, 2, 7, 12, 16, 64, 96].map(of), ["1", "2", "7", "4×3", "4×4", "8×8", "12×8"]);
});

test("impossible sides and ranks are refused", () => {
  const shape = { rank: 0, ranks: 6, count: 1 };
  assert.throws(() => torusAllreduce({ ...shape, sides: [2, 2] }), /the ranks, 6, got 2 × 2/);
  assert.throws(() => torusAllreduce({ ...shape, sides: [1.5, 4] }), RangeError);
  assert.throws(() => torusAllreduce({ ...shape, sides: [2, 3], rank: 6 }), /from 0 to 5, got 6/);
});
