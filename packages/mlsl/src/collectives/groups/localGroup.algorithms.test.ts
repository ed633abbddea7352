/** Every collective by every algorithm, wherever the buffers lie. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ALGORITHMS } from "../../schedules/transport/registry.js";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob } from "../../testing/localJob.js";
import type { MessageKind } from "../operations/algorithms.js";
import { defineOperator } from "../operations/operators.js";
import type { Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

/** Counts around borders: nothing, fewer than ranks, a piece of the staging blocks, several. */
const COUNTS = [0, 1, 2, 3, 5, 7, 17, 1000, 4099, 33000];
const RANKS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** What a rank gives as element i. Sums over nine ranks are exact. */
function given(rank: number, i: number): number {
  return ((i * 7 + rank * 13) % 31) - 15;
}

interface Shape {
  readonly kind: MessageKind;
  readonly algorithm: string;
  readonly ranks: number;
  readonly root: number;
  readonly count: number;
}

/** Lengths of send and recv, by collective, in counts. */
function lengths({ kind, ranks }: Shape): { send: number; recv: number } {
  if (kind === "reduceScatter" || kind === "scatter") return { send: ranks, recv: 1 };
  if (kind === "allgather" || kind === "gather") return { send: 1, recv: ranks };
  return kind === "alltoall" ? { send: ranks, recv: ranks } : { send: 1, recv: 1 };
}

function start(
  group: LocalGroup,
  shape: Shape,
  [send, recv]: [Float64Array, Float64Array],
): Request {
  const { kind, algorithm, root } = shape;
  switch (kind) {
    case "allreduce":
    case "reduceScatter":
      return group[`${kind}Start`](send, recv, { algorithm });
    case "reduce":
      return group.reduceStart(send, recv, { algorithm, root });
    case "broadcast":
      recv.set(send);
      return group.broadcastStart(recv, { algorithm, root });
    case "gather":
      return group.gatherStart(send, recv, { algorithm, root });
    case "scatter":
      return group.scatterStart(send, recv, { algorithm, root });
    case "barrier":
      return group.barrierStart({ algorithm });
    default:
      return group[`${kind}Start`](send, recv, { algorithm });
  }
}

/** Element i of a rank's result; undefined where it gets none. */
function expected(
  { kind, ranks, root, count }: Shape,
  rank: number,
  i: number,
): number | undefined {
  const sum = (at: number): number => {
    let total = 0;
    for (let r = 0; r < ranks; r++) total += given(r, at);
    return total;
  };
  const [block, at] = [Math.floor(i / count), i % count];
  switch (kind) {
    case "allreduce":
      return sum(i);
    case "reduce":
      return rank === root ? sum(i) : undefined;
    case "reduceScatter":
      return sum(rank * count + i);
    case "broadcast":
      return given(root, i);
    case "allgather":
      return given(block, at);
    case "gather":
      return rank === root ? given(block, at) : undefined;
    case "scatter":
      return given(root, rank * count + i);
    case "alltoall":
      return given(block, rank * count + at);
    default:
      return undefined;
  }
}

function run(shape: Shape, world: readonly LocalGroup[], random: Random): void {
  const { send, recv } = lengths(shape);
  const make = (group: LocalGroup, length: number, inside: boolean): Float64Array =>
    inside ? group.allocate("float64", length) : new Float64Array(length);
  // All inside, all outside, or each as it comes: three ways through the staging blocks.
  const where = random.below(3);
  const buffers = world.map((group, rank): [Float64Array, Float64Array] => {
    const inside = () => (where === 2 ? random.below(2) === 0 : where === 0);
    const pair: [Float64Array, Float64Array] = [
      make(group, send * shape.count, inside()),
      make(group, recv * shape.count, inside()),
    ];
    pair[0].forEach((_, i) => {
      pair[0][i] = given(rank, i);
    });
    pair[1].fill(-99);
    return pair;
  });
  completeAll(
    world.map((group, rank) => start(group, shape, buffers[rank]!)),
    random,
  );
  buffers.forEach(([, result], rank) => {
    for (let i = 0; i < result.length; i++) {
      const wanted = expected(shape, rank, i) ?? -99;
      if (result[i] !== wanted && !(shape.kind === "barrier")) {
        assert.fail(
          `${JSON.stringify(shape)}: rank ${rank} has ${result[i]} at ${i}, not ${wanted}`,
        );
      }
    }
  });
  buffers.forEach(([given0], rank) => {
    for (let i = 0; i < given0.length; i++) assert.equal(given0[i], given(rank, i), "send changed");
  });
  world.forEach((group, rank) => {
    for (const array of buffers[rank]!) {
      if (array.buffer instanceof SharedArrayBuffer) group.free(array);
    }
  });
}

for (const kind of Object.keys(ALGORITHMS).filter((name) => !name.endsWith("v")) as MessageKind[]) {
  for (const { name: algorithm } of ALGORITHMS[kind]) {
    test(`GLO-3 X-5 ${kind} by ${algorithm} is exact for every count and number of ranks`, () => {
      const random = new Random(kind.length * 100 + algorithm.length);
      for (const ranks of RANKS) {
        const world = localJob({ ranks, arenaBytes: 8388608 });
        for (const count of COUNTS.filter((n) => n < 1000 || random.below(ranks) < 2)) {
          run({ kind, algorithm, ranks, count, root: random.below(ranks) }, world, random);
        }
      }
    });
  }
}

test("in place, averages and operators that do not commute go by messages, too", () => {
  const random = new Random(77);
  // Maps x → a x + b modulo a prime, as a × 101 + b: composing them does not commute.
  const composition = defineOperator<Int32Array>("compose", (all, values) => {
    for (let i = 0; i < all.length; i++) {
      const [a, b] = [Math.floor(all[i]! / 101), all[i]! % 101];
      const [c, d] = [Math.floor(values[i]! / 101), values[i]! % 101];
      all[i] = ((a * c) % 101) * 101 + ((a * d + b) % 101);
    }
  });
  for (const ranks of [2, 3, 5, 8]) {
    const world = localJob({ ranks, arenaBytes: 4194304 });
    for (const { name: algorithm, keepsOrder } of ALGORITHMS.allreduce) {
      const arrays = world.map((g) =>
        Float64Array.from({ length: 1001 }, (_, i) => given(g.rank, i)),
      );
      const mean = arrays[0]!.map((_, i) => arrays.reduce((sum, a) => sum + a[i]!, 0) / ranks);
      const requests = world.map((g, r) =>
        g.allreduceStart(arrays[r]!, arrays[r]!, { op: "average", algorithm }),
      );
      completeAll(requests, random);
      for (const array of arrays) assert.deepEqual(array, mean, algorithm);
      const maps = world.map((g) =>
        Int32Array.from({ length: 7 }, (_, i) => (g.rank + 2) * 101 + g.rank + i),
      );
      const call = () =>
        world.map((g, r) => g.allreduceStart(maps[r]!, maps[r]!, { op: composition, algorithm }));
      if (!keepsOrder) {
        assert.throws(call, /does not combine in the order of the ranks/);
        continue;
      }
      const composed = maps[0]!.slice();
      for (const map of maps.slice(1)) composition.combine(composed, map);
      completeAll(call(), random);
      for (const map of maps) assert.deepEqual(map, composed, algorithm);
    }
  }
});

test("an operator of the user is no average, whatever it is called", () => {
  const random = new Random(5);
  const largest = defineOperator<Float64Array>("average", (all, values) => {
    for (let i = 0; i < all.length; i++) all[i] = Math.max(all[i]!, values[i]!);
  });
  const world = localJob({ ranks: 3 });
  for (const algorithm of ["direct", "recursiveDoubling"]) {
    const arrays = world.map((g) => Float64Array.of(g.rank, -g.rank));
    const requests = world.map((g, r) =>
      g.allreduceStart(arrays[r]!, arrays[r]!, { op: largest, algorithm }),
    );
    completeAll(requests, random);
    for (const array of arrays) assert.deepEqual(Array.from(array), [2, -0]);
  }
});

test("algorithms that would round in between are refused, and unknown ones named", () => {
  const [group] = localJob({ ranks: 1 });
  const half = group!.allocate("bfloat16", 4);
  const int = new Int32Array(4);
  assert.throws(
    () => group!.allreduceSync(half, half, { algorithm: "ring" }),
    /use algorithm direct/,
  );
  assert.throws(
    () => group!.allreduceSync(int, int, { op: "average", rounding: "floor", algorithm: "ring" }),
    /use algorithm direct/,
  );
  assert.throws(
    () => group!.allreduceSync(int, int, { algorithm: "star" }),
    /must be one of direct, ring, recursiveDoubling, halvingDoubling, doubleTree, got "star"/,
  );
});
