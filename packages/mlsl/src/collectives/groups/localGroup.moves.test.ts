/** Broadcast, gather, all-gather, scatter, all-to-all: who has whose bytes afterwards. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DATA_TYPES,
  type DataType,
  dataTypeInfo,
  type ElementArray,
} from "../../memory/dataTypes.js";
import { Random } from "../../simulation/random.js";
import { borderSizes } from "../../testing/borderSizes.js";
import { givenBytes } from "../../testing/givenBytes.js";
import { assertBytes, bytesOf, GuardedArray, partOf } from "../../testing/guardedArray.js";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import { SEED } from "../../testing/seed.js";
import type { Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

const RANKS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Small arenas: a staging block has 8 KiB, so that few elements make many chunks. */
const ARENA_BYTES = 131072;

/** Staging blocks of 64 KiB, and slots of 4 KiB: the counts below lie around both. */
const LARGE_ARENA_BYTES = 1048576;

const MOVES = ["broadcast", "gather", "allgather", "scatter", "alltoall"] as const;

/** One move, the same on all ranks. */
interface Move {
  readonly kind: (typeof MOVES)[number];
  readonly type: DataType;
  /** Of a block. */
  readonly count: number;
  readonly ranks: number;
  readonly root: number;
  readonly inPlace: boolean;
  readonly what: string;
}

/** Elements that a rank gives; −1 if its send is ignored. */
function givenCount({ kind, count, ranks, root }: Move, rank: number): number {
  if (kind === "scatter") return rank === root ? ranks * count : -1;
  return kind === "alltoall" ? ranks * count : count;
}

/** The blocks that a rank has afterwards, as giver and first element; undefined if it gets none. */
function gotten({ kind, count, ranks, root }: Move, rank: number): [number, number][] | undefined {
  const all = (first: number): [number, number][] =>
    Array.from({ length: ranks }, (_, from) => [from, first]);
  if (kind === "broadcast") return [[root, 0]];
  if (kind === "scatter") return [[root, rank * count]];
  if (kind === "alltoall") return all(rank * count);
  return kind === "allgather" || rank === root ? all(0) : undefined;
}

/** The buffers of a rank: what it gives and gets, and the arrays that they are parts of. */
interface Buffers {
  readonly send: ElementArray | undefined;
  readonly recv: ElementArray | undefined;
  readonly owned: readonly GuardedArray[];
  /** Given, though the rank needs none there. */
  readonly idle: GuardedArray | undefined;
}

function buffersOf(move: Move, group: LocalGroup, random: Random): Buffers {
  const { kind, type, count, inPlace } = move;
  const { rank } = group;
  const sendCount = givenCount(move, rank);
  const recvCount = (gotten(move, rank)?.length ?? -1) * count;
  const make = (elements: number) => GuardedArray.make(group, random, { type, count: elements });
  if (kind === "broadcast") {
    const buffer = make(count);
    return { send: buffer.array, recv: buffer.array, owned: [buffer], idle: undefined };
  }
  if (sendCount < 0 || recvCount < 0) {
    const idle = random.below(2) === 0 ? make(3) : undefined;
    const used = make(Math.max(sendCount, recvCount));
    const [send, recv] = sendCount < 0 ? [idle?.array, used.array] : [used.array, idle?.array];
    return { send, recv, owned: [used], idle };
  }
  const whole = make(Math.max(sendCount, recvCount));
  if (inPlace) {
    const own = kind === "alltoall" ? whole.array : partOf(whole.array, rank * count, count);
    const [send, recv] = sendCount < recvCount ? [own, whole.array] : [whole.array, own];
    return { send, recv, owned: [whole], idle: undefined };
  }
  const other = make(Math.min(sendCount, recvCount));
  const [send, recv] = sendCount < recvCount ? [other, whole] : [whole, other];
  return { send: send.array, recv: recv.array, owned: [send, recv], idle: undefined };
}

function start(group: LocalGroup, { kind, root }: Move, { send, recv }: Buffers): Request {
  switch (kind) {
    case "broadcast":
      return group.broadcastStart(send!, { root });
    case "gather":
      return group.gatherStart(send!, recv, { root });
    case "allgather":
      return group.allgatherStart(send!, recv!);
    case "scatter":
      return group.scatterStart(send, recv!, { root });
    default:
      return group.alltoallStart(send!, recv!);
  }
}

function check(move: Move, rank: number, { send, recv, owned, idle }: Buffers): void {
  const { kind, count, type, inPlace } = move;
  const what = `${move.what}, rank ${rank}`;
  const elementBytes = dataTypeInfo(type).byteLength;
  const blockBytes = count * elementBytes;
  const blocks = gotten(move, rank);
  blocks?.forEach(([from, first], i) => {
    const bytes = bytesOf(recv!).subarray(i * blockBytes, (i + 1) * blockBytes);
    const expected = givenBytes(from, first * elementBytes, blockBytes);
    assertBytes(bytes, expected, `${what}, from rank ${from}`);
  });
  // In place, an all-to-all replaces what it gives, as a broadcast does.
  const keepsSend = kind !== "broadcast" && !(kind === "alltoall" && inPlace);
  if (givenCount(move, rank) >= 0 && keepsSend) {
    assertBytes(bytesOf(send!), givenBytes(rank, 0, send!.byteLength), `${what}, send`);
  }
  for (const array of owned) array.release(what);
  idle?.releaseUntouched(what);
}

function run(world: readonly LocalGroup[], move: Move, random: Random): void {
  const buffers = world.map((group) => buffersOf(move, group, random));
  buffers.forEach(({ send }, rank) => {
    if (givenCount(move, rank) < 0) return;
    bytesOf(send!).set(givenBytes(rank, 0, send!.byteLength));
  });
  completeAll(
    world.map((group, rank) => start(group, move, buffers[rank]!)),
    random,
  );
  buffers.forEach((one, rank) => void check(move, rank, one));
}

function randomMove(ranks: number, bytes: number, random: Random): Move {
  const { name: type, byteLength } = random.pick(DATA_TYPES);
  const kind = random.pick(MOVES);
  const count = Math.floor(bytes / byteLength);
  const [root, inPlace] = [random.below(ranks), random.below(2) === 0];
  const place = inPlace ? "in place" : "apart";
  const what = `seed ${SEED}, ${kind} of ${count} ${type}, ${ranks} ranks, root ${root}, ${place}`;
  return { kind, type, count, ranks, root, inPlace, what };
}

for (const kernels of KERNELS) {
  test(`X-5 GLO-3 moves of any size bring every rank the right bytes, 1 to 9 ranks, ${kernels}`, () => {
    const random = new Random(SEED);
    for (const ranks of RANKS) {
      const world = localJob({ ranks, kernels, arenaBytes: ARENA_BYTES });
      for (const bytes of borderSizes(ranks, ARENA_BYTES / 16)) {
        run(world, randomMove(ranks, bytes, random), random);
        run(world, randomMove(ranks, random.below(bytes + 40), random), random);
      }
    }
  });

  test(`every move in place and apart, from every root, ${kernels}`, () => {
    const random = new Random(SEED + 1);
    for (const ranks of [1, 2, 3, 5, 8]) {
      const world = localJob({ ranks, kernels, arenaBytes: LARGE_ARENA_BYTES });
      for (const kind of MOVES) {
        for (const inPlace of [true, false]) {
          for (let root = 0; root < ranks; root++) {
            for (const bytes of [random.below(64), random.below(3000), 8192]) {
              const move = randomMove(ranks, bytes, random);
              const what = `${move.what}, but ${kind} from ${root}, in place: ${inPlace}`;
              run(world, { ...move, kind, inPlace, root, what }, random);
            }
          }
        }
      }
    }
  });
}

test("X-5 moves among 16, 33 and 64 ranks are right", () => {
  const random = new Random(SEED + 3);
  for (const ranks of [16, 33, 64]) {
    // 64 KiB: staging blocks are as small as they get, a cache line for each of 64 ranks.
    const world = localJob({ ranks, arenaBytes: 65536 });
    for (const kind of MOVES) {
      const move = randomMove(ranks, 10 + random.below(900), random);
      run(world, { ...move, kind, what: `${move.what}, but ${kind}` }, random);
    }
  }
});

test("buffers of many chunks of 64 KiB arrive whole", () => {
  const random = new Random(SEED + 2);
  for (const ranks of [2, 3]) {
    const world = localJob({ ranks, arenaBytes: LARGE_ARENA_BYTES });
    for (const kind of MOVES) {
      for (const bytes of [65528, 65536, 65544, 200008]) {
        const move = randomMove(ranks, bytes, random);
        const what = `${move.what}, but ${kind}`;
        run(world, { ...move, kind, type: "float64", count: bytes / 8, what }, random);
      }
    }
  }
});

test("CCL-10 allgather of 11 MiB and of 64 MiB per rank is right to the last element", () => {
  const outside = localJob({ ranks: 2 });
  const most = 16777216;
  const words = Int32Array.from({ length: 4096 }, (_, i) => i * 77 + 1);
  const sends = [1, 2].map((factor) => {
    const send = new Int32Array(most);
    for (let i = 0; i < most; i += words.length) send.set(words, i);
    send[most - 1] = factor;
    return send;
  });
  const recv = [0, 1].map(() => new Int32Array(2 * most));
  for (const count of [2883583, 2883584, 2883585, most]) {
    // The last element tells the ranks apart, and whether the end has arrived.
    const parts = sends.map((send) => send.subarray(most - count));
    const into = recv.map((array) => array.subarray(0, 2 * count));
    completeAll(
      outside.map((group, r) => group.allgatherStart(parts[r]!, into[r]!)),
      new Random(1),
    );
    for (const got of into) {
      parts.forEach((part, r) => {
        const block = got.subarray(r * count, (r + 1) * count);
        assertBytes(bytesOf(block), bytesOf(part), `${count} int32 of rank ${r}`);
      });
    }
  }
});

test("X-5 barrier lets nobody pass before everybody has come, 1 to 9 ranks", () => {
  for (const kernels of KERNELS) {
    for (const ranks of RANKS) {
      const world = localJob({ ranks, kernels });
      const early = world.slice(1).map((group) => group.barrierStart());
      for (let turn = 0; turn < 3; turn++) {
        for (const request of early) assert.equal(request.test(), false, `${ranks} ranks`);
      }
      completeAll([...early, world[0]!.barrierStart()], new Random(3));
    }
  }
});
