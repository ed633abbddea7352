/** Reductions of any size, on any number of ranks, to any of them, in place or not. */

import { test } from "node:test";
import { DATA_TYPES, dataTypeInfo } from "../../memory/dataTypes.js";
import { Random } from "../../simulation/random.js";
import { borderSizes } from "../../testing/borderSizes.js";
import { KERNELS, localJob } from "../../testing/localJob.js";
import {
  type GroupReduction,
  REDUCTIONS,
  runGroupReduction,
} from "../../testing/models/groupReduction.js";
import { reductionCases } from "../../testing/models/reductionCases.js";
import { SEED } from "../../testing/seed.js";

/** Small arenas: a staging block has 8 KiB, so that few elements make many chunks. */
const ARENA_BYTES = 131072;

function randomReduction(ranks: number, bytes: number, random: Random): GroupReduction {
  const { name: type, byteLength } = random.pick(DATA_TYPES);
  const kind = random.pick(REDUCTIONS);
  const count = Math.floor(bytes / byteLength);
  const counts = Array.from({ length: ranks }, () =>
    kind === "reduceScatterv" ? random.below(count + 2) : count,
  );
  const { name, options, expected } = random.pick(reductionCases(type, ranks, random));
  const [root, inPlace] = [random.below(ranks), random.below(2) === 0];
  const what =
    `seed ${SEED}, ${kind} ${name} of ${counts} ${type}, ` +
    `${ranks} ranks, root ${root}, in place: ${inPlace}`;
  const inputs = random.pick(["bits", "small", "special"] as const);
  return { kind, type, into: type, counts, root, inPlace, inputs, options, expected, what };
}

for (const kernels of KERNELS) {
  test(`X-5 GLO-3 NCC-5 reductions of any size are exact, the same bits, 1 to 9 ranks, ${kernels}`, () => {
    const random = new Random(SEED);
    for (let ranks = 1; ranks <= 9; ranks++) {
      const world = localJob({ ranks, kernels, arenaBytes: ARENA_BYTES });
      for (const bytes of borderSizes(ranks, ARENA_BYTES / 16)) {
        runGroupReduction(world, randomReduction(ranks, bytes, random), random);
      }
    }
  });

  test(`every reduction in place and apart, to every root, ${kernels}`, () => {
    const random = new Random(SEED + 1);
    for (const ranks of [1, 2, 3, 5, 8]) {
      const world = localJob({ ranks, kernels, arenaBytes: ARENA_BYTES });
      for (const kind of REDUCTIONS) {
        for (const inPlace of [true, false]) {
          for (let root = 0; root < ranks; root++) {
            for (const bytes of [random.below(64), random.below(3000), 9000]) {
              const one = randomReduction(ranks, bytes, random);
              const count = Math.floor(bytes / dataTypeInfo(one.type).byteLength);
              const counts = one.counts.map((_, r) => (r === root && count > 0 ? count : 0));
              const what = `${one.what}, but ${kind} to ${root}, in place: ${inPlace}`;
              // Counts of which all but one are 0; the others are of one size.
              const changed = kind === "reduceScatterv" ? counts : counts.map(() => count);
              const reduction = { ...one, kind, root, inPlace, counts: changed, what };
              runGroupReduction(world, reduction, random);
            }
          }
        }
      }
    }
  });
}

test("X-5 reductions on 16, 33 and 64 ranks are exact", () => {
  const random = new Random(SEED + 3);
  for (const ranks of [16, 33, 64]) {
    const world = localJob({ ranks, arenaBytes: 65536 });
    for (const kind of REDUCTIONS) {
      const one = randomReduction(ranks, 16 + random.below(900), random);
      const counts = one.counts.map((count) =>
        kind === "reduceScatterv" ? count : one.counts[0]!,
      );
      runGroupReduction(world, { ...one, kind, counts, what: `${one.what}, but ${kind}` }, random);
    }
  }
});

test("vectors of many chunks of 64 KiB are reduced whole", () => {
  const random = new Random(SEED + 2);
  for (const ranks of [2, 3, 4]) {
    const world = localJob({ ranks });
    for (const kind of REDUCTIONS) {
      for (const bytes of [65528, 65536, 65544, 200008]) {
        const one = randomReduction(ranks, bytes, random);
        const count = Math.floor(bytes / dataTypeInfo(one.type).byteLength);
        const what = `${one.what}, but ${kind} of ${count}`;
        runGroupReduction(
          world,
          { ...one, kind, counts: one.counts.map(() => count), what },
          random,
        );
      }
    }
  }
});
