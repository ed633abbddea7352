/** Moves of blocks with counts and places of their own. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES, type DataType, dataTypeInfo } from "../../memory/dataTypes.js";
import { Random } from "../../simulation/random.js";
import { givenBytes } from "../../testing/givenBytes.js";
import { assertBytes, bytesOf, GuardedArray, partOf } from "../../testing/guardedArray.js";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import { SEED } from "../../testing/seed.js";
import type { Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

/** A staging block has 8 KiB. */
const ARENA_BYTES = 131072;

/** What guarded arrays hold at first, so what gaps hold afterwards. */
const GAP = 0xa5;

/** Where the blocks of one buffer lie. */
interface Layout {
  readonly counts: readonly number[];
  readonly offsets: readonly number[];
  /** Elements of the buffer. */
  readonly length: number;
  /** Whether the offsets need not be told. */
  readonly isPlain: boolean;
}

/** One after the other, or in any order with gaps between and around. */
function randomLayout(random: Random, counts: readonly number[]): Layout {
  const offsets = counts.map(() => 0);
  const isPlain = random.below(3) === 0;
  const order = counts.map((_, i) => i);
  const gap = () => (isPlain ? 0 : random.below(4));
  let next = gap();
  while (order.length > 0) {
    const [block] = order.splice(isPlain ? 0 : random.below(order.length), 1);
    offsets[block!] = next;
    next += counts[block!]! + gap();
  }
  return { counts, offsets, length: next, isPlain };
}

function told({ counts, offsets, isPlain }: Layout, root: number) {
  return isPlain ? { counts, root } : { counts, offsets, root };
}

/** What all ranks do together. */
interface Plan {
  readonly type: DataType;
  readonly ranks: number;
  readonly root: number;
  readonly what: string;
}

/** A rank's part: started at once, checked when all have completed. */
interface Part {
  readonly request: Request;
  check(): void;
}

type Starts = (group: LocalGroup, random: Random) => Part;

function filled(array: GuardedArray, rank: number): GuardedArray {
  bytesOf(array.array).set(givenBytes(rank, 0, array.array.byteLength));
  return array;
}

/** What recv holds at the end: gaps, and block i of the bytes that `given` tells. */
function checkBlocks(
  { type, what }: Plan,
  { recv, layout }: { recv: GuardedArray; layout: Layout },
  given: (i: number, byteLength: number) => Uint8Array,
): void {
  const { byteLength } = dataTypeInfo(type);
  const expected = new Uint8Array(recv.array.byteLength).fill(GAP);
  layout.counts.forEach((count, i) => {
    expected.set(given(i, count * byteLength), layout.offsets[i]! * byteLength);
  });
  assertBytes(bytesOf(recv.array), expected, `${what}, recv`);
  recv.release(what);
}

function checkGiven({ what }: Plan, send: GuardedArray, rank: number): void {
  const expected = givenBytes(rank, 0, send.array.byteLength);
  assertBytes(bytesOf(send.array), expected, `${what}, send of rank ${rank}`);
  send.release(what);
}

/** allgatherv on all ranks, or gatherv to one; every rank that gets has a layout of its own. */
function gathering(plan: Plan, counts: readonly number[], all: boolean): Starts {
  const { type, root } = plan;
  return (group, random) => {
    const { rank } = group;
    const make = (count: number) => GuardedArray.make(group, random, { type, count });
    if (!all && rank !== root) {
      const send = filled(make(counts[rank]!), rank);
      const request = group.gathervStart(send.array, undefined, { root });
      return { request, check: () => checkGiven(plan, send, rank) };
    }
    const layout = randomLayout(random, counts);
    const recv = make(layout.length);
    const own = random.below(2) === 0 ? undefined : filled(make(counts[rank]!), rank);
    const part = partOf(recv.array, layout.offsets[rank]!, counts[rank]!);
    if (own === undefined) bytesOf(part).set(givenBytes(rank, 0, part.byteLength));
    const send = own?.array ?? part;
    const options = told(layout, root);
    const request = all
      ? group.allgathervStart(send, recv.array, options)
      : group.gathervStart(send, recv.array, options);
    const check = (): void => {
      checkBlocks(plan, { recv, layout }, (from, length) => givenBytes(from, 0, length));
      if (own !== undefined) checkGiven(plan, own, rank);
    };
    return { request, check };
  };
}

function scattering(plan: Plan, counts: readonly number[], layout: Layout): Starts {
  const { type, root } = plan;
  return (group, random) => {
    const { rank } = group;
    const make = (count: number) => GuardedArray.make(group, random, { type, count });
    const { byteLength } = dataTypeInfo(type);
    const first = layout.offsets[rank]! * byteLength;
    const send = rank === root ? filled(make(layout.length), rank) : undefined;
    const isOwn = send !== undefined && random.below(2) === 0;
    const apart = isOwn ? undefined : make(counts[rank]!);
    const recv = apart?.array ?? partOf(send!.array, layout.offsets[rank]!, counts[rank]!);
    const options = rank === root ? told(layout, root) : { root };
    const request = group.scattervStart(send?.array, recv, options);
    const check = (): void => {
      assertBytes(bytesOf(recv), givenBytes(root, first, recv.byteLength), plan.what);
      apart?.release(plan.what);
      if (send !== undefined) checkGiven(plan, send, rank);
    };
    return { request, check };
  };
}

/** @param sends where each rank's blocks lie, by rank, then by receiver */
function exchanging(plan: Plan, sends: readonly Layout[]): Starts {
  const { type } = plan;
  const { byteLength } = dataTypeInfo(type);
  return (group, random) => {
    const { rank } = group;
    const out = sends[rank]!;
    const layout = randomLayout(
      random,
      sends.map(({ counts }) => counts[rank]!),
    );
    const make = (count: number) => GuardedArray.make(group, random, { type, count });
    const [send, recv] = [filled(make(out.length), rank), make(layout.length)];
    const request = group.alltoallvStart(send.array, recv.array, {
      sendCounts: out.counts,
      ...(out.isPlain ? {} : { sendOffsets: out.offsets }),
      recvCounts: layout.counts,
      ...(layout.isPlain ? {} : { recvOffsets: layout.offsets }),
    });
    const check = (): void => {
      checkBlocks(plan, { recv, layout }, (from, length) =>
        givenBytes(from, sends[from]!.offsets[rank]! * byteLength, length),
      );
      checkGiven(plan, send, rank);
    };
    return { request, check };
  };
}

function run(world: readonly LocalGroup[], starts: Starts, random: Random): void {
  const parts = world.map((group) => starts(group, random));
  completeAll(
    parts.map(({ request }) => request),
    random,
  );
  for (const part of parts) part.check();
}

const KINDS = ["allgatherv", "gatherv", "scatterv", "alltoallv"] as const;

function randomCounts(random: Random, ranks: number, most: number): number[] {
  return Array.from({ length: ranks }, () => (random.below(3) === 0 ? 0 : random.below(most)));
}

function startsOf(kind: (typeof KINDS)[number], plan: Plan, random: Random, most: number): Starts {
  const counts = randomCounts(random, plan.ranks, most);
  if (kind === "allgatherv" || kind === "gatherv") {
    return gathering(plan, counts, kind === "allgatherv");
  }
  if (kind === "scatterv") return scattering(plan, counts, randomLayout(random, counts));
  const sends = counts.map(() => randomLayout(random, randomCounts(random, plan.ranks, most)));
  return exchanging(plan, sends);
}

function randomPlan(kind: string, ranks: number, random: Random): Plan {
  const { name: type } = random.pick(DATA_TYPES);
  const root = random.below(ranks);
  const what = `seed ${SEED}, ${kind} of ${type}, ${ranks} ranks, root ${root}`;
  return { type, ranks, root, what };
}

for (const kernels of KERNELS) {
  test(`CCL-5 X-5 blocks of any counts at any places arrive, gaps stay, 1 to 9 ranks, ${kernels}`, () => {
    const random = new Random(SEED);
    for (let ranks = 1; ranks <= 9; ranks++) {
      const world = localJob({ ranks, kernels, arenaBytes: ARENA_BYTES });
      for (const kind of KINDS) {
        // No elements at all, a few, within a chunk, and several chunks of some ranks only.
        for (const most of [1, 4, 4, 40, 300, 300, 3000]) {
          const plan = randomPlan(kind, ranks, random);
          run(world, startsOf(kind, plan, random, most), random);
        }
      }
    }
  });
}

test("CCL-5 an exchange in which most pairs have nothing to say is exact", () => {
  const world = localJob({ ranks: 3 });
  const counts = [
    [0, 0, 0],
    [0, 2, 0],
    [1, 0, 3],
  ];
  const sends = [[], [10, 11], [20, 21, 22, 23]].map((values) => Int32Array.from(values));
  const recvs = [1, 2, 3].map((count) => new Int32Array(count));
  completeAll(
    world.map((group, r) =>
      group.alltoallvStart(sends[r]!, recvs[r]!, {
        sendCounts: counts[r]!,
        recvCounts: counts.map((row) => row[r]!),
      }),
    ),
    new Random(1),
  );
  const expected = [[20], [10, 11], [21, 22, 23]];
  assert.deepEqual(
    recvs.map((recv) => [...recv]),
    expected,
  );
});

test("CCL-5 GLO-3 operations on nothing complete in one meeting, in order with their neighbours", () => {
  const ranks = 3;
  const world = localJob({ ranks });
  const none = new Float32Array(0);
  const zeros = [0, 0, 0];
  const empty: ((group: LocalGroup) => Request)[] = [
    (group) => group.allreduceStart(none, none),
    (group) => group.reduceStart(none, none, { root: 1 }),
    (group) => group.reduceScatterStart(none, none),
    (group) => group.reduceScattervStart(none, none, { counts: zeros }),
    (group) => group.broadcastStart(none, { root: 2 }),
    (group) => group.allgatherStart(none, none),
    (group) => group.gatherStart(none, none),
    (group) => group.scatterStart(none, none),
    (group) => group.alltoallStart(none, none),
    (group) => group.allgathervStart(none, none, { counts: zeros }),
    (group) => group.gathervStart(none, none, { counts: zeros }),
    (group) => group.scattervStart(none, none, { counts: zeros }),
    (group) => group.alltoallvStart(none, none, { sendCounts: zeros, recvCounts: zeros }),
  ];
  const sums = world.map(() => Float64Array.of(1, 2));
  const start = (group: LocalGroup): Request[] => {
    const sum = sums[group.rank]!;
    const before = group.allreduceStart(sum, sum);
    return [before, ...empty.map((one) => one(group)), group.barrierStart()];
  };
  const early = world.slice(0, 2).flatMap(start);
  // Nobody can be through with anything while rank 2 has not come.
  for (const request of early) assert.equal(request.test(), false);
  completeAll([...early, ...start(world[2]!)], new Random(5));
  for (const sum of sums) assert.deepEqual([...sum], [3, 6]);
  for (const group of world) assert.equal(group.statistics.operations, empty.length + 2);
});
