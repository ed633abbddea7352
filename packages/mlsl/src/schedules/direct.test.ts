import assert from "node:assert/strict";
import { test } from "node:test";
import { DirectChecker } from "../testing/directChecker.js";
import { Random } from "../testing/random.js";
import {
  type DirectShape,
  directAllgather,
  directAllreduce,
  directBroadcast,
  type Step,
} from "./direct.js";

const RANKS = [...Array.from({ length: 16 }, (_, i) => i + 1), 31, 32, 33, 64];
const CHUNKS = [1, 2, 3, 4, 7];
/** Orders in which each schedule is played. */
const ORDERS = 5;

function play(
  make: (shape: DirectShape) => Step[],
  { ranks, chunks, givers }: { ranks: number; chunks: number; givers: number[] },
  expected: (rank: number) => string[],
): void {
  for (let seed = 1; seed <= ORDERS; seed++) {
    const schedules = Array.from({ length: ranks }, (_, rank) => make({ rank, ranks, chunks }));
    const random = new Random(seed * 1000 + ranks);
    const received = new DirectChecker(schedules, { ranks, chunks, givers, random }).run();
    received.forEach((got, rank) => {
      assert.deepEqual(got, expected(rank).sort(), `rank ${rank} of ${ranks}, seed ${seed}`);
    });
  }
}

function everyone(ranks: number): number[] {
  return Array.from({ length: ranks }, (_, rank) => rank);
}

function chunksOf(from: string | number, chunks: number): string[] {
  return Array.from({ length: chunks }, (_, chunk) => `${from}:${chunk}`);
}

test("directAllreduce reduces every chunk by everybody before it is collected", () => {
  for (const ranks of RANKS) {
    for (const chunks of CHUNKS) {
      const givers = everyone(ranks);
      play(directAllreduce, { ranks, chunks, givers }, () => chunksOf("all", chunks));
    }
  }
});

test("directBroadcast brings every chunk of the root to everybody else", () => {
  for (const ranks of RANKS) {
    for (const chunks of CHUNKS) {
      const root = ranks % 3 === 0 ? ranks - 1 : 0;
      const make = (shape: DirectShape) => directBroadcast(shape, root);
      play(make, { ranks, chunks, givers: [root] }, (rank) =>
        rank === root ? [] : chunksOf(root, chunks),
      );
    }
  }
});

test("directAllgather brings every chunk of everybody to everybody", () => {
  for (const ranks of RANKS.filter((n) => n <= 33)) {
    for (const chunks of CHUNKS) {
      const givers = everyone(ranks);
      play(directAllgather, { ranks, chunks, givers }, () =>
        givers.flatMap((from) => chunksOf(from, chunks)),
      );
    }
  }
});

test("the checker finds a schedule that skips a meeting", () => {
  const broken = (shape: DirectShape) =>
    directAllreduce(shape).filter((step, i) => !(step.kind === "sync" && i < 4));
  const givers = everyone(3);
  assert.throws(() => play(broken, { ranks: 3, chunks: 4, givers }, () => []), /Rank \d at/);
});
