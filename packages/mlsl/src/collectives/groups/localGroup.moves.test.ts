/** Broadcast, all-gather and barrier, and programs that mix everything. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { type ElementArray, viewOf } from "../../memory/dataTypes.js";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import { Random } from "../../testing/random.js";
import type { Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

const TYPES = ["uint8", "int32", "float32", "float64"] as const;
const COUNTS = [0, 1, 2, 3, 8, 9, 33, 1023, 1025, 4097, 32769, 70001];
const RANKS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

type Numbers = ElementArray<(typeof TYPES)[number]>;

function element(rank: number, i: number): number {
  return (i * 5 + rank * 11) % 251;
}

function fill(array: Numbers, rank: number): void {
  for (let i = 0; i < array.length; i++) array[i] = element(rank, i);
}

function anywhere<T extends (typeof TYPES)[number]>(
  group: LocalGroup,
  random: Random,
  { type, count }: { type: T; count: number },
): ElementArray<T> {
  if (random.below(2) === 0) return group.allocate(type, count);
  return viewOf(type, new ArrayBuffer(count * 8 + 8), 8, count);
}

function release(group: LocalGroup, ...arrays: ElementArray[]): void {
  for (const array of arrays) {
    if (array.buffer instanceof SharedArrayBuffer) group.free(array);
  }
}

function assertElements(array: Numbers, rank: number, what: string): void {
  for (let i = 0; i < array.length; i++) {
    if (array[i] !== element(rank, i)) assert.fail(`${what}: element ${i} is ${array[i]}`);
  }
}

for (const kernels of KERNELS) {
  test(`broadcast gives every rank the root's elements, ${kernels}`, () => {
    const random = new Random(1);
    for (const ranks of RANKS) {
      const world = localJob({ ranks, kernels, arenaBytes: 2097152 });
      for (const count of COUNTS) {
        const root = random.below(ranks);
        const type = random.pick(TYPES);
        const buffers = world.map((group) => anywhere(group, random, { type, count }));
        buffers.forEach(fill);
        completeAll(
          world.map((g, r) => g.broadcastStart(buffers[r]!, { root })),
          random,
        );
        const what = `${count} ${type} from rank ${root} of ${ranks}`;
        for (const buffer of buffers) assertElements(buffer, root, what);
        world.forEach((group, r) => void release(group, buffers[r]!));
      }
    }
  });

  test(`allgather gives every rank everybody's elements, in place or not, ${kernels}`, () => {
    const random = new Random(2);
    for (const ranks of RANKS) {
      const world = localJob({ ranks, kernels, arenaBytes: 8388608 });
      for (const count of COUNTS) {
        const type = random.pick(TYPES);
        const recvs = world.map((g) => anywhere(g, random, { type, count: ranks * count }));
        const own = (r: number) => recvs[r]!.subarray(r * count, (r + 1) * count) as Numbers;
        const inPlace = random.below(2) === 0;
        const sends = world.map((group, r) =>
          inPlace ? own(r) : anywhere(group, random, { type, count }),
        );
        sends.forEach(fill);
        completeAll(
          world.map((g, r) => g.allgatherStart(sends[r]!, recvs[r]!)),
          random,
        );
        for (const recv of recvs) {
          for (let r = 0; r < ranks; r++) {
            const part = recv.subarray(r * count, (r + 1) * count);
            assertElements(part, r, `${count} ${type}, part ${r} of ${ranks}`);
          }
        }
        world.forEach((group, r) => {
          release(group, recvs[r]!);
          if (!inPlace) release(group, sends[r]!);
        });
      }
    }
  });

  test(`barrier lets nobody pass before everybody has come, ${kernels}`, () => {
    for (const ranks of RANKS) {
      const world = localJob({ ranks, kernels });
      const early = world.slice(1).map((group) => group.barrierStart());
      for (const request of early) assert.equal(request.test(), false, `${ranks} ranks`);
      completeAll([...early, world[0]!.barrierStart()], new Random(3));
    }
  });
}

/** One operation of a random program: how to start it on a rank, and how to check it there. */
interface Planned {
  start(group: LocalGroup): Request;
  check(rank: number): void;
}

function planAllreduce(ranks: number, count: number, what: string): Planned {
  const arrays = Array.from({ length: ranks }, (_, r) => {
    return Float64Array.from({ length: count }, (_, i) => element(r, i));
  });
  const sums = Float64Array.from(arrays[0] ?? [], (_, i) => {
    return arrays.reduce((sum, array) => sum + array[i]!, 0);
  });
  return {
    start: (group) => group.allreduceStart(arrays[group.rank]!, arrays[group.rank]!),
    check: (rank) => assert.deepEqual(arrays[rank], sums, what),
  };
}

function planBroadcast(ranks: number, count: number, root: number): Planned {
  const arrays = Array.from({ length: ranks }, (_, r) => {
    return Int32Array.from({ length: count }, (_, i) => element(r, i));
  });
  const expected = arrays[root]!.slice();
  return {
    start: (group) => group.broadcastStart(arrays[group.rank]!, { root }),
    check: (rank) => assert.deepEqual(arrays[rank], expected),
  };
}

function planBarrier(): Planned {
  return { start: (group) => group.barrierStart(), check: () => {} };
}

function randomPlan(ranks: number, random: Random, what: string): Planned {
  const count = random.pick([0, 1, 5, 300, 1500, 20000]);
  const kind = random.below(3);
  if (kind === 0) return planAllreduce(ranks, count, what);
  return kind === 1 ? planBroadcast(ranks, count, random.below(ranks)) : planBarrier();
}

test("random programs of many requests at once complete exactly, whatever the order of ranks", () => {
  for (let seed = 1; seed <= 300; seed++) {
    const random = new Random(seed);
    const ranks = 1 + random.below(6);
    const world = localJob({ ranks, kernels: random.pick(KERNELS) });
    const plans = Array.from({ length: 1 + random.below(12) }, () =>
      randomPlan(ranks, random, `seed ${seed}`),
    );
    const requests = world.flatMap((group) => plans.map((plan) => plan.start(group)));
    completeAll(requests, random);
    for (const plan of plans) world.forEach((_, rank) => void plan.check(rank));
    assert.ok(requests.every((request) => request.done));
    for (const { statistics } of world) assert.equal(statistics.operations, plans.length);
  }
});
