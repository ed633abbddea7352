import assert from "node:assert/strict";
import { test } from "node:test";
import { CASES } from "../../simulation/programs/collectiveCases.js";
import { ALGORITHMS, type Algorithm, buildSchedule, TRANSPORT_KINDS } from "./registry.js";
import type { ShapeOf } from "./shapes.js";
import type { Region, TransportSchedule } from "./steps.js";

/** 3·2³⁰ elements, more than 32 bits of bytes and than a signed 32-bit number. */
const HUGE = 3221225472;

test("a collective has each code and name once, its variable form means the same by them", () => {
  const names = new Map<string, string>();
  for (const kind of TRANSPORT_KINDS) {
    const codes = ALGORITHMS[kind].map(({ code }) => code);
    assert.equal(new Set(codes).size, codes.length, kind);
    assert.equal(new Set(ALGORITHMS[kind].map(({ name }) => name)).size, codes.length, kind);
    for (const { name, code } of ALGORITHMS[kind]) {
      assert.ok(Number.isInteger(code) && code >= 1 && code <= 255, `${kind} ${name}`);
      const key = `${kind.replace(/v$/, "")} ${code}`;
      assert.equal(names.get(key) ?? name, name, key);
      names.set(key, name);
    }
  }
});

test("the codes do not change: ranks of different versions compare them", () => {
  const codes = Object.fromEntries(
    TRANSPORT_KINDS.map((kind) => [
      kind,
      ALGORITHMS[kind].map(({ name, code }) => `${code} ${name}`).join(", "),
    ]),
  );
  assert.deepEqual(codes, {
    barrier: "1 dissemination",
    broadcast: "1 binomial, 2 doubleTree, 3 chain, 4 scatterAllgather",
    reduce: "1 binomial, 2 doubleTree",
    allreduce: "1 ring, 2 recursiveDoubling, 3 halvingDoubling, 4 doubleTree",
    reduceScatter: "1 ring, 2 recursiveHalving, 3 pairwise, 4 halvingInOrder",
    reduceScatterv: "1 ring, 2 recursiveHalving, 3 pairwise, 4 halvingInOrder",
    allgather: "1 ring, 2 recursiveDoubling, 3 bruck",
    allgatherv: "1 ring, 2 recursiveDoubling, 3 bruck",
    gather: "1 binomial, 2 linear",
    gatherv: "2 linear",
    scatter: "1 binomial, 2 linear",
    scatterv: "2 linear",
    alltoall: "1 pairwise, 2 bruck, 3 linear",
    alltoallv: "1 pairwise, 3 linear",
  });
});

test("every reduction has an algorithm that keeps the order of the ranks", () => {
  for (const kind of ["reduce", "allreduce", "reduceScatter", "reduceScatterv"] as const) {
    assert.ok(
      ALGORITHMS[kind].some(({ keepsOrder }) => keepsOrder),
      kind,
    );
  }
});

test("buildSchedule names what there is", () => {
  assert.throws(
    () => buildSchedule("reduce", "ring", { rank: 0, ranks: 2, root: 0, count: 1 }),
    new RangeError(
      'Cannot find algorithm of reduce: expected one of "binomial", "doubleTree", got "ring"',
    ),
  );
});

test("buildSchedule refuses an impossible shape", () => {
  assert.throws(
    () => buildSchedule("allreduce", "ring", { rank: 2, ranks: 2, count: 1 }),
    new RangeError('Cannot build schedule: "rank" must be an integer from 0 to 1, got 2'),
  );
});

/** Every region of a schedule, with its offset and count multiplied. */
function regionsOf({ steps }: TransportSchedule, factor: number): Region[] {
  return steps
    .flatMap((step) => (step.kind === "copy" ? [step.from, step.to] : [step.region]))
    .map(({ buffer, offset, count }) => ({
      buffer,
      offset: offset * factor,
      count: count * factor,
    }));
}

/** A shape with all its counts and offsets multiplied. */
function multiplied<T extends object>(shape: T, factor: number): T {
  const entries = Object.entries(shape).map(([name, value]: [string, unknown]) => {
    if (Array.isArray(value)) return [name, value.map((one: number) => one * factor)];
    if (typeof value === "object" && value !== null) return [name, multiplied(value, factor)];
    return [name, name === "count" ? (value as number) * factor : value];
  });
  return Object.fromEntries(entries) as T;
}

test("offsets are exact for 3·2³⁰ elements per rank: those of 24 elements, multiplied", () => {
  // 24 divides by these ranks and by the powers of two below them, so nothing is rounded.
  const count = 24;
  for (const kind of TRANSPORT_KINDS.filter((name) => name !== "barrier")) {
    for (const one of ALGORITHMS[kind]) {
      const algorithm = one as Algorithm<ShapeOf[typeof kind]>;
      for (const ranks of [1, 2, 3, 4, 6, 8, 12]) {
        for (let rank = 0; rank < ranks; rank++) {
          const { shape } = CASES[kind](rank, { ranks, root: ranks - 1, count });
          const huge = buildSchedule(kind, algorithm.name, multiplied(shape, HUGE / count));
          const small = algorithm.build(shape);
          assert.deepEqual(regionsOf(huge, 1), regionsOf(small, HUGE / count), algorithm.name);
          assert.equal(huge.scratchCount, small.scratchCount * (HUGE / count), algorithm.name);
        }
      }
    }
  }
});
