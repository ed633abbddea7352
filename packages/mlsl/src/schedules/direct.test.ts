import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../simulation/random.js";
import { DirectChecker } from "../testing/directChecker.js";
import { type DirectPattern, directSchedule, type Step, takersPart } from "./direct.js";

const RANKS = [...Array.from({ length: 16 }, (_, i) => i + 1), 31, 32, 33, 64];
const CHUNKS = [1, 2, 3, 4, 7];
/** Orders in which each schedule is played. */
const ORDERS = 5;

interface Play {
  readonly ranks: number;
  readonly chunks: number;
  readonly root: number;
}

type Change = (steps: Step[]) => Step[];

function play(
  pattern: DirectPattern,
  { ranks, chunks, root }: Play,
  expected: (rank: number) => string[],
  change: Change = (steps) => steps,
): void {
  const givers = pattern === "fetchFromRoot" ? [root] : everyone(ranks);
  for (let seed = 1; seed <= ORDERS; seed++) {
    const schedules = everyone(ranks).map((rank) =>
      change(directSchedule(pattern, { rank, ranks, root, chunks })),
    );
    const random = new Random(seed * 1000 + ranks);
    const received = new DirectChecker(schedules, { pattern, ranks, givers, random }).run();
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

function overAll(run: (shape: Play) => void, most = 64): void {
  for (const ranks of RANKS.filter((n) => n <= most)) {
    for (const chunks of CHUNKS)
      run({ ranks, chunks, root: (ranks * 2) % 3 === 0 ? ranks - 1 : 0 });
  }
}

test("every chunk is reduced by everybody before it is collected", () => {
  overAll((shape) => play("reduceForAll", shape, () => chunksOf("all", shape.chunks)));
  overAll((shape) =>
    play("reduceForRoot", shape, (rank) =>
      rank === shape.root ? chunksOf("all", shape.chunks) : [],
    ),
  );
});

test("every rank reduces its own block of every chunk", () => {
  overAll((shape) => play("reduceOwn", shape, () => chunksOf("own", shape.chunks)));
});

test("fetches and gives bring every chunk to those who want it", () => {
  const fromAll = ({ ranks, chunks }: Play) =>
    everyone(ranks).flatMap((from) => chunksOf(from, chunks));
  const given = (chunks: readonly string[]) => chunks.map((chunk) => `${chunk}:given`);
  overAll((shape) =>
    play("fetchFromRoot", shape, (rank) => {
      const chunks = chunksOf(shape.root, shape.chunks);
      return rank === shape.root ? chunks : [...chunks, ...given(chunks)];
    }),
  );
  overAll((shape) => play("fetchAll", shape, () => fromAll(shape)), 33);
  overAll((shape) =>
    play("fetchToRoot", shape, (rank) => {
      if (rank !== shape.root) return [];
      const others = fromAll(shape).filter((chunk) => !chunk.startsWith(`${rank}:`));
      return [...fromAll(shape), ...given(others)];
    }),
  );
});

test("giver and taker of every block share it so that all ranks copy alike", () => {
  for (const ranks of [2, 3, 4, 7, 64]) {
    const [one, many] = [takersPart("fetchFromRoot", ranks), takersPart("fetchToRoot", ranks)];
    // The root's parts in the blocks of all others, and an other's part in its own.
    assert.ok(Math.abs((1 - one) * (ranks - 1) - one) < 1e-12);
    assert.ok(Math.abs(many * (ranks - 1) - (1 - many)) < 1e-12);
  }
});

test("the checker finds a schedule that skips a meeting or a stage", () => {
  const skip = (kind: Step["kind"]) => (steps: Step[]) => {
    const first = steps.findIndex((step) => step.kind === kind);
    return steps.filter((_, i) => i !== first);
  };
  const shape = { ranks: 3, chunks: 4, root: 0 };
  for (const pattern of ["reduceForAll", "reduceOwn", "fetchAll", "fetchFromRoot"] as const) {
    assert.throws(() => play(pattern, shape, () => [], skip("sync")), /Rank \d at/);
    assert.throws(() => play(pattern, shape, () => [], skip("stage")), /Rank \d at/);
  }
});
