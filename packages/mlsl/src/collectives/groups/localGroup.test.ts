/** Programs of many operations of all kinds at once, in all their forms, started twice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../simulation/random.js";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import { SEED } from "../../testing/seed.js";
import type { PersistentRequest, Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

/** Jobs that are played. */
const PROGRAMS = 150;

/** What a rank works on. */
interface Buffers {
  readonly send: Int32Array;
  readonly recv: Int32Array;
}

/** The shape of an operation of a program. */
interface Shape {
  readonly ranks: number;
  /** Of a block. */
  readonly count: number;
  readonly root: number;
}

/** Element i of what a rank gives in a round. */
function element(round: number, rank: number, i: number): number {
  return (i * 5 + rank * 1009 + round * 77) % 30011;
}

/** How an operation is called, and what its recv holds. */
interface Kind {
  readonly sendBlocks: "one" | "ranks";
  readonly recvBlocks: "one" | "ranks";
  readonly args: (buffers: Buffers, shape: Shape, rank: number) => readonly unknown[];
  /** Every element of recv; undefined where a rank gets nothing. */
  readonly got: (shape: Shape, rank: number, round: number) => ((i: number) => number) | undefined;
}

/** An operation in one of its forms, by name. */
function call(group: LocalGroup, name: string, args: readonly unknown[]): unknown {
  const methods = group as unknown as Record<string, (...args: readonly unknown[]) => unknown>;
  return methods[name]!(...args);
}

function equalCounts({ ranks, count }: Shape): number[] {
  return Array.from({ length: ranks }, () => count);
}

function summed(ranks: number, round: number, first: number) {
  return (i: number): number => {
    let sum = 0;
    for (let rank = 0; rank < ranks; rank++) sum += element(round, rank, first + i);
    return sum;
  };
}

function gathered({ count }: Shape, round: number) {
  return (i: number): number => element(round, Math.floor(i / count), i % count);
}

const KINDS: Readonly<Record<string, Kind>> = {
  allreduce: {
    sendBlocks: "one",
    recvBlocks: "one",
    args: ({ send, recv }) => [send, recv],
    got: ({ ranks }, _, round) => summed(ranks, round, 0),
  },
  reduce: {
    sendBlocks: "one",
    recvBlocks: "one",
    args: ({ send, recv }, { root }) => [send, recv, { root }],
    got: ({ ranks, root }, rank, round) => (rank === root ? summed(ranks, round, 0) : undefined),
  },
  reduceScatter: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    args: ({ send, recv }) => [send, recv],
    got: ({ ranks, count }, rank, round) => summed(ranks, round, rank * count),
  },
  reduceScatterv: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    args: ({ send, recv }, shape) => [send, recv, { counts: equalCounts(shape) }],
    got: ({ ranks, count }, rank, round) => summed(ranks, round, rank * count),
  },
  broadcast: {
    sendBlocks: "one",
    recvBlocks: "one",
    args: ({ send, recv }, { root }, rank) => [rank === root ? send : recv, { root }],
    got: ({ root }, rank, round) => (rank === root ? undefined : (i) => element(round, root, i)),
  },
  gather: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    args: ({ send, recv }, { root }) => [send, recv, { root }],
    got: (shape, rank, round) => (rank === shape.root ? gathered(shape, round) : undefined),
  },
  gatherv: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    args: ({ send, recv }, shape) => [send, recv, { counts: equalCounts(shape), root: shape.root }],
    got: (shape, rank, round) => (rank === shape.root ? gathered(shape, round) : undefined),
  },
  allgather: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    args: ({ send, recv }) => [send, recv],
    got: (shape, _, round) => gathered(shape, round),
  },
  allgatherv: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    args: ({ send, recv }, shape) => [send, recv, { counts: equalCounts(shape) }],
    got: (shape, _, round) => gathered(shape, round),
  },
  scatter: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    args: ({ send, recv }, { root }) => [send, recv, { root }],
    got:
      ({ root, count }, rank, round) =>
      (i) =>
        element(round, root, rank * count + i),
  },
  scatterv: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    args: ({ send, recv }, shape) => [send, recv, { counts: equalCounts(shape), root: shape.root }],
    got:
      ({ root, count }, rank, round) =>
      (i) =>
        element(round, root, rank * count + i),
  },
  alltoall: {
    sendBlocks: "ranks",
    recvBlocks: "ranks",
    args: ({ send, recv }) => [send, recv],
    got:
      ({ count }, rank, round) =>
      (i) =>
        element(round, Math.floor(i / count), rank * count + (i % count)),
  },
  alltoallv: {
    sendBlocks: "ranks",
    recvBlocks: "ranks",
    args: ({ send, recv }, shape) => {
      const counts = equalCounts(shape);
      return [send, recv, { sendCounts: counts, recvCounts: counts }];
    },
    got:
      ({ count }, rank, round) =>
      (i) =>
        element(round, Math.floor(i / count), rank * count + (i % count)),
  },
  barrier: {
    sendBlocks: "one",
    recvBlocks: "one",
    args: () => [],
    got: () => undefined,
  },
};

/** One operation of a program, on all ranks. */
class Planned {
  readonly #kind: Kind;
  readonly #shape: Shape;
  readonly #buffers: Buffers[];
  /** How each rank starts it; the ranks need not use the same form. */
  readonly #starts: (() => Request)[];

  constructor(world: readonly LocalGroup[], name: string, shape: Shape, random: Random) {
    const kind = KINDS[name]!;
    this.#kind = kind;
    this.#shape = shape;
    const make = (group: LocalGroup, blocks: "one" | "ranks"): Int32Array => {
      const count = blocks === "one" ? shape.count : shape.count * shape.ranks;
      const inside = random.below(2) === 0;
      return inside ? group.allocate("int32", count) : new Int32Array(count);
    };
    this.#buffers = world.map((group) => {
      return { send: make(group, kind.sendBlocks), recv: make(group, kind.recvBlocks) };
    });
    this.#starts = world.map((group, r) => {
      const args = kind.args(this.#buffers[r]!, shape, r);
      if (random.below(2) === 0) return () => call(group, `${name}Start`, args) as Request;
      const persistent = call(group, `${name}Persistent`, args) as PersistentRequest;
      return () => persistent.start();
    });
  }

  fill(round: number): void {
    this.#buffers.forEach(({ send, recv }, rank) => {
      for (let i = 0; i < send.length; i++) send[i] = element(round, rank, i);
      recv.fill(-1);
    });
  }

  start(rank: number): Request {
    return this.#starts[rank]!();
  }

  check(round: number, what: string): void {
    this.#buffers.forEach(({ send, recv }, rank) => {
      const got = this.#kind.got(this.#shape, rank, round) ?? (() => -1);
      for (let i = 0; i < recv.length; i++) {
        if (recv[i] !== got(i)) {
          assert.fail(`${what}, rank ${rank}: element ${i} is ${recv[i]}, expected ${got(i)}`);
        }
      }
      for (let i = 0; i < send.length; i++) {
        if (send[i] !== element(round, rank, i)) assert.fail(`${what}, rank ${rank}: send changed`);
      }
    });
  }
}

test("programs of all operations in all forms complete exactly, whatever the order of the ranks", () => {
  for (let program = 0; program < PROGRAMS; program++) {
    const random = new Random(SEED * PROGRAMS + program);
    const ranks = 1 + random.below(6);
    const world = localJob({ ranks, kernels: random.pick(KERNELS) });
    const plans = Array.from({ length: 1 + random.below(10) }, () => {
      const name = random.pick(Object.keys(KINDS));
      const count = random.pick([0, 1, 5, 7, 300, 1100, 3000]);
      return {
        name,
        planned: new Planned(world, name, { ranks, count, root: random.below(ranks) }, random),
      };
    });
    for (const round of [0, 1]) {
      for (const { planned } of plans) planned.fill(round);
      const requests = world.flatMap((_, r) => plans.map(({ planned }) => planned.start(r)));
      completeAll(requests, random);
      for (const { name, planned } of plans)
        planned.check(round, `seed ${SEED}, program ${program}, ${name}`);
      assert.ok(requests.every((request) => request.done));
    }
    for (const { statistics } of world) assert.equal(statistics.operations, 2 * plans.length);
  }
});

test("blocking and promised forms of every operation do what its requests do", async () => {
  const world = localJob({ ranks: 2 });
  for (const [name, { args }] of Object.entries(KINDS)) {
    // On nothing, operations need one meeting: the first rank has come when the second blocks.
    const shape = { ranks: 2, count: 0, root: 1 };
    const none = () => ({ send: new Int32Array(0), recv: new Int32Array(0) });
    const early = call(world[0]!, `${name}Start`, args(none(), shape, 0)) as Request;
    assert.equal(early.test(), false);
    call(world[1]!, `${name}Sync`, args(none(), shape, 1));
    assert.equal(early.test(), true);
    await Promise.all(world.map((group, r) => call(group, name, args(none(), shape, r))));
  }
  assert.equal(world[1]!.statistics.operations, 2 * Object.keys(KINDS).length);
});
