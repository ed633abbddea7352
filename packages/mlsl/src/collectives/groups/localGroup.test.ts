import assert from "node:assert/strict";
import { test } from "node:test";
import type { ElementArray } from "../../memory/dataTypes.js";
import { viewOf } from "../../memory/dataTypes.js";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import { Random } from "../../testing/random.js";
import type { ReduceOp } from "../options.js";
import type { LocalGroup } from "./localGroup.js";

/** Counts around every border: nothing, a line, a slot, a staging block (128 KiB here), chunks. */
const COUNTS = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 1023, 1024, 1025, 4099, 32768, 32769, 70001];
const RANKS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const SEED = 20261201;

type Type = "float32" | "float64";

/** Small whole numbers: every sum is exact in every type. */
function input(rank: number, i: number): number {
  return ((i * 7 + rank * 13) % PERIOD) - 15;
}

/** After this many elements the inputs repeat. */
const PERIOD = 31;

function combined(op: ReduceOp, ranks: number, i: number): number {
  const values = Array.from({ length: ranks }, (_, r) => input(r, i));
  const sum = values.reduce((a, b) => a + b, 0);
  if (op === "min") return Math.min(...values);
  if (op === "max") return Math.max(...values);
  return op === "sum" ? sum : sum / ranks;
}

/** The result of a reduction, by element. */
function expected(type: Type, op: ReduceOp, ranks: number): (i: number) => number {
  const round = type === "float32" ? Math.fround : (x: number) => x;
  const values = Array.from({ length: PERIOD }, (_, i) => round(combined(op, ranks, i)));
  return (i) => values[i % PERIOD]!;
}

/** An array inside the segment or outside, at will. */
function makeArray<T extends Type>(
  group: LocalGroup,
  type: T,
  { count, inside }: { count: number; inside: boolean },
): ElementArray<T> {
  if (inside) return group.allocate(type, count);
  return viewOf(type, new ArrayBuffer(count * 8), 0, count);
}

function fill(array: ElementArray<Type>, value: (i: number) => number): void {
  for (let i = 0; i < array.length; i++) array[i] = value(i);
}

function assertAll(array: ElementArray<Type>, value: (i: number) => number, what: string): void {
  for (let i = 0; i < array.length; i++) {
    if (!Object.is(array[i], value(i))) {
      assert.fail(`${what}: element ${i} is ${array[i]}, expected ${value(i)}`);
    }
  }
}

for (const kernels of KERNELS) {
  for (const type of ["float32", "float64"] as const) {
    test(`allreduce gives the exact result on every rank, ${kernels}, ${type}`, () => {
      const random = new Random(SEED);
      for (const ranks of RANKS) {
        const world = localJob({ ranks, kernels, arenaBytes: 2097152 });
        for (const count of COUNTS) {
          for (const op of ["sum", "average", "min", "max"] as const) {
            const inPlace = random.below(2) === 0;
            const sends = world.map((group, r) => {
              const array = makeArray(group, type, { count, inside: random.below(2) === 0 });
              fill(array, (i) => input(r, i));
              return array;
            });
            const recvs = world.map((group, r) =>
              inPlace
                ? sends[r]!
                : makeArray(group, type, { count, inside: random.below(2) === 0 }),
            );
            const requests = world.map((g, r) => g.allreduceStart(sends[r]!, recvs[r]!, { op }));
            completeAll(requests, random);
            const what = `${op} of ${count} on ${ranks} ranks, seed ${SEED}`;
            for (const [r, recv] of recvs.entries()) {
              assertAll(recv, expected(type, op, ranks), what);
              if (!inPlace) assertAll(sends[r]!, (i) => input(r, i), `${what}, send of rank ${r}`);
            }
            world.forEach((group, r) => {
              for (const a of new Set([sends[r]!, recvs[r]!])) {
                if (a.buffer instanceof SharedArrayBuffer) group.free(a);
              }
            });
          }
        }
      }
    });
  }
}
