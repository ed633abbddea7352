import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { prove, proveOnce } from "../../testing/transport/transportProof.js";
import { halvingDoublingAllreduce } from "./halvingDoubling.js";
import type { CountShape } from "./shapes.js";
import { MAX_TWO_LEVEL_RANKS, twoLevelAllreduce, twoLevelCost } from "./twoLevel.js";

/** None, one, a prime, and one more: fewer and more than most numbers of ranks. */
const COUNTS = [0, 1, 5, 67];

function algorithmOf(perGroup: number) {
  return {
    name: `twoLevel in groups of ${perGroup}`,
    keepsOrder: true,
    build: (shape: CountShape) => twoLevelAllreduce({ ...shape, perGroup }),
  };
}

test("it is right for 1 to 20 ranks in groups of any size", () => {
  for (let ranks = 1; ranks <= 20; ranks++) {
    for (let perGroup = 1; perGroup <= ranks; perGroup++) {
      for (const count of COUNTS) {
        const size = { ranks, root: 0, count };
        prove({ kind: "allreduce", algorithm: algorithmOf(perGroup), size }, ranks);
      }
    }
  }
});

test("it is right for more ranks and any groups", () => {
  const sizes = fc
    .integer({ min: 21, max: 150 })
    .chain((ranks) => fc.tuple(fc.constant(ranks), fc.integer({ min: 1, max: ranks }), fc.nat(99)));
  fc.assert(
    fc.property(sizes, fc.nat(), ([ranks, perGroup, count], seed) => {
      const size = { ranks, root: 0, count };
      prove({ kind: "allreduce", algorithm: algorithmOf(perGroup), size }, seed);
    }),
    { numRuns: 40 },
  );
});

test("it is right for a thousand ranks, the groups a power of two or not", () => {
  for (const [ranks, perGroup] of [
    [1000, 8],
    [1024, 32],
    [1021, 10],
  ] as const) {
    const size = { ranks, root: 0, count: 130 };
    proveOnce({ kind: "allreduce", algorithm: algorithmOf(perGroup), size });
  }
});

test("every send of 9,600 ranks is met by a receive of the same count", () => {
  const ranks = 9600;
  const open = new Map<string, number>();
  for (let rank = 0; rank < ranks; rank++) {
    const { steps } = twoLevelAllreduce({ rank, ranks, count: 9601, perGroup: 128 });
    const ordinals = new Map<string, number>();
    for (const step of steps) {
      if (step.kind === "copy") continue;
      const [pair, sign] =
        step.kind === "send" ? [`${rank}-${step.to}`, 1] : [`${step.from}-${rank}`, -1];
      const ordinal = ordinals.get(pair + sign) ?? 0;
      ordinals.set(pair + sign, ordinal + 1);
      const key = `${pair}-${ordinal}`;
      const left = (open.get(key) ?? 0) + sign * step.region.count;
      if (left === 0) open.delete(key);
      else open.set(key, left);
    }
  }
  assert.equal(open.size, 0);
});

test("in one group, and in groups of one, it is halving and doubling", () => {
  for (const ranks of [5, 8]) {
    for (let rank = 0; rank < ranks; rank++) {
      const flat = halvingDoublingAllreduce({ rank, ranks, count: 67 });
      // A guest gives what it has copied; everything else is the same.
      const isGuest = ranks === 5 && rank === 1;
      if (isGuest) continue;
      for (const perGroup of [1, ranks]) {
        assert.deepEqual(twoLevelAllreduce({ rank, ranks, count: 67, perGroup }), flat);
      }
    }
  }
});

test("it takes the rounds and sends the elements of its formula", () => {
  for (const [ranks, perGroup] of [
    [1, 1],
    [16, 4],
    [64, 8],
    [24, 8],
    [12, 3],
    [15, 3],
    [56, 8],
  ] as const) {
    const count = 960;
    const size = { ranks, root: 0, count };
    const { rounds, sentCount } = proveOnce({
      kind: "allreduce",
      algorithm: algorithmOf(perGroup),
      size,
    });
    assert.deepEqual({ rounds, sentCount }, twoLevelCost(ranks, count, perGroup), `${ranks}`);
  }
});

test("impossible shapes are refused", () => {
  const shape = { rank: 0, ranks: 8, count: 1, perGroup: 2 };
  for (const wrong of [
    { perGroup: 0 },
    { perGroup: 9 },
    { perGroup: 1.5 },
    { rank: 8 },
    { count: -1 },
    { ranks: MAX_TWO_LEVEL_RANKS + 1 },
  ]) {
    assert.throws(() => twoLevelAllreduce({ ...shape, ...wrong }), RangeError);
  }
});
