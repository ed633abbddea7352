/** Programs of many operations of all kinds at once, in all their forms, started twice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import { Random } from "../../testing/random.js";
import type { Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

/** The first seed of today; failures print the one that failed. */
const SEED = Math.floor(Date.now() / 86400000) * 1000;

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

/** How an operation is called, and what its recv holds, as giver and index of each element. */
interface Kind {
  readonly sendBlocks: "one" | "ranks";
  readonly recvBlocks: "one" | "ranks";
  persist(group: LocalGroup, buffers: Buffers, shape: Shape): { start(): Request };
  start(group: LocalGroup, buffers: Buffers, shape: Shape): Request;
  /** Undefined where a rank gets nothing. */
  got(shape: Shape, rank: number, round: number): ((i: number) => number) | undefined;
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
    persist: (group, { send, recv }) => group.allreducePersistent(send, recv),
    start: (group, { send, recv }) => group.allreduceStart(send, recv),
    got: ({ ranks }, _, round) => summed(ranks, round, 0),
  },
  reduce: {
    sendBlocks: "one",
    recvBlocks: "one",
    persist: (group, { send, recv }, { root }) => group.reducePersistent(send, recv, { root }),
    start: (group, { send, recv }, { root }) => group.reduceStart(send, recv, { root }),
    got: ({ ranks, root }, rank, round) => (rank === root ? summed(ranks, round, 0) : undefined),
  },
  reduceScatter: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    persist: (group, { send, recv }) => group.reduceScatterPersistent(send, recv),
    start: (group, { send, recv }) => group.reduceScatterStart(send, recv),
    got: ({ ranks, count }, rank, round) => summed(ranks, round, rank * count),
  },
  reduceScatterv: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    persist: (group, { send, recv }, shape) =>
      group.reduceScattervPersistent(send, recv, { counts: equalCounts(shape) }),
    start: (group, { send, recv }, shape) =>
      group.reduceScattervStart(send, recv, { counts: equalCounts(shape) }),
    got: ({ ranks, count }, rank, round) => summed(ranks, round, rank * count),
  },
  broadcast: {
    sendBlocks: "one",
    recvBlocks: "one",
    persist: (group, { send, recv }, { root }) =>
      group.broadcastPersistent(group.rank === root ? send : recv, { root }),
    start: (group, { send, recv }, { root }) =>
      group.broadcastStart(group.rank === root ? send : recv, { root }),
    got: ({ root }, rank, round) => (rank === root ? undefined : (i) => element(round, root, i)),
  },
  gather: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    persist: (group, { send, recv }, { root }) => group.gatherPersistent(send, recv, { root }),
    start: (group, { send, recv }, { root }) => group.gatherStart(send, recv, { root }),
    got: (shape, rank, round) => (rank === shape.root ? gathered(shape, round) : undefined),
  },
  gatherv: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    persist: (group, { send, recv }, shape) =>
      group.gathervPersistent(send, recv, { counts: equalCounts(shape), root: shape.root }),
    start: (group, { send, recv }, shape) =>
      group.gathervStart(send, recv, { counts: equalCounts(shape), root: shape.root }),
    got: (shape, rank, round) => (rank === shape.root ? gathered(shape, round) : undefined),
  },
  allgather: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    persist: (group, { send, recv }) => group.allgatherPersistent(send, recv),
    start: (group, { send, recv }) => group.allgatherStart(send, recv),
    got: (shape, _, round) => gathered(shape, round),
  },
  allgatherv: {
    sendBlocks: "one",
    recvBlocks: "ranks",
    persist: (group, { send, recv }, shape) =>
      group.allgathervPersistent(send, recv, { counts: equalCounts(shape) }),
    start: (group, { send, recv }, shape) =>
      group.allgathervStart(send, recv, { counts: equalCounts(shape) }),
    got: (shape, _, round) => gathered(shape, round),
  },
  scatter: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    persist: (group, { send, recv }, { root }) => group.scatterPersistent(send, recv, { root }),
    start: (group, { send, recv }, { root }) => group.scatterStart(send, recv, { root }),
    got:
      ({ root, count }, rank, round) =>
      (i) =>
        element(round, root, rank * count + i),
  },
  scatterv: {
    sendBlocks: "ranks",
    recvBlocks: "one",
    persist: (group, { send, recv }, shape) =>
      group.scattervPersistent(send, recv, { counts: equalCounts(shape), root: shape.root }),
    start: (group, { send, recv }, shape) =>
      group.scattervStart(send, recv, { counts: equalCounts(shape), root: shape.root }),
    got:
      ({ root, count }, rank, round) =>
      (i) =>
        element(round, root, rank * count + i),
  },
  alltoall: {
    sendBlocks: "ranks",
    recvBlocks: "ranks",
    persist: (group, { send, recv }) => group.alltoallPersistent(send, recv),
    start: (group, { send, recv }) => group.alltoallStart(send, recv),
    got:
      ({ count }, rank, round) =>
      (i) =>
        element(round, Math.floor(i / count), rank * count + (i % count)),
  },
  alltoallv: {
    sendBlocks: "ranks",
    recvBlocks: "ranks",
    persist: (group, { send, recv }, shape) => {
      const counts = equalCounts(shape);
      return group.alltoallvPersistent(send, recv, { sendCounts: counts, recvCounts: counts });
    },
    start: (group, { send, recv }, shape) => {
      const counts = equalCounts(shape);
      return group.alltoallvStart(send, recv, { sendCounts: counts, recvCounts: counts });
    },
    got:
      ({ count }, rank, round) =>
      (i) =>
        element(round, Math.floor(i / count), rank * count + (i % count)),
  },
  barrier: {
    sendBlocks: "one",
    recvBlocks: "one",
    persist: (group) => group.barrierPersistent(),
    start: (group) => group.barrierStart(),
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
      const buffers = this.#buffers[r]!;
      if (random.below(2) === 0) return () => kind.start(group, buffers, shape);
      const persistent = kind.persist(group, buffers, shape);
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
  for (let seed = SEED; seed < SEED + PROGRAMS; seed++) {
    const random = new Random(seed);
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
      for (const { name, planned } of plans) planned.check(round, `seed ${seed}, ${name}`);
      assert.ok(requests.every((request) => request.done));
    }
    for (const { statistics } of world) assert.equal(statistics.operations, 2 * plans.length);
  }
});
