/** All types by all operators, widening, operators of the user, and the rules for special values. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES, type DataType, dataTypeInfo } from "../../memory/dataTypes.js";
import { BFloat16View, Float16View } from "../../memory/halfViews.js";
import { Random } from "../../simulation/random.js";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import {
  type GroupReduction,
  type Inputs,
  REDUCTIONS,
  runGroupReduction,
  type Value,
} from "../../testing/models/groupReduction.js";
import { type ReductionCase, reductionCases } from "../../testing/models/reductionCases.js";
import { modelFloats } from "../../testing/models/reductionModel.js";
import { SEED } from "../../testing/seed.js";
import { defineOperator } from "../operations/operators.js";
import type { ReduceOptions } from "../options.js";
import type { LocalGroup } from "./localGroup.js";

/** A staging block has 8 KiB. */
const ARENA_BYTES = 131072;

const INPUTS: readonly Inputs[] = ["bits", "small", "special"];

interface Types {
  readonly type: DataType;
  readonly into: DataType;
}

/** Any kind of reduction of about so many bytes, by one operator. */
function reductionOf(
  { type, into }: Types,
  { name, options, expected }: ReductionCase,
  { ranks, bytes, random }: { ranks: number; bytes: number; random: Random },
): GroupReduction {
  const kind = random.pick(REDUCTIONS);
  const perRank = kind === "reduceScatter" || kind === "reduceScatterv";
  const share = bytes / dataTypeInfo(into).byteLength / (perRank ? ranks : 1);
  const counts = Array.from({ length: ranks }, () => Math.floor(share));
  const inputs = random.pick(INPUTS);
  const [root, inPlace] = [random.below(ranks), random.below(2) === 0];
  const what = `seed ${SEED}, ${kind} ${name} of ${counts} ${type} into ${into}, ${inputs}`;
  return { kind, type, into, counts, root, inPlace, inputs, options, expected, what };
}

for (const kernels of KERNELS) {
  test(`all types are combined by all their operators, 1 to 7 ranks, ${kernels}`, () => {
    const random = new Random(SEED);
    for (const ranks of [1, 2, 3, 4, 7]) {
      const world = localJob({ ranks, kernels, arenaBytes: ARENA_BYTES });
      for (const { name: type } of DATA_TYPES) {
        for (const one of reductionCases(type, ranks, random)) {
          for (const bytes of [random.below(40), 150, random.below(5000), 17000]) {
            // Plain kernels are slow, and the way of long vectors is the same for both.
            if (bytes === 17000 && kernels === "plain" && random.below(4) > 0) continue;
            const shape = { ranks, bytes, random };
            runGroupReduction(world, reductionOf({ type, into: type }, one, shape), random);
          }
        }
      }
    }
  });
}

const WIDER: readonly [DataType, readonly DataType[]][] = [
  ["int8", ["int16", "int32"]],
  ["uint8", ["uint16", "uint32", "int16", "int32"]],
  ["int16", ["int32"]],
  ["uint16", ["uint32", "int32"]],
  ["float16", ["float32", "float64"]],
  ["bfloat16", ["float32", "float64"]],
  ["float32", ["float64"]],
];

test("NCC-4 contributions are widened before they are combined, into every wider type", () => {
  const random = new Random(SEED + 1);
  for (const ranks of [1, 2, 3, 7]) {
    const world = localJob({ ranks, arenaBytes: ARENA_BYTES });
    for (const [type, intos] of WIDER) {
      for (const into of intos) {
        for (const bytes of [20, 3000, 17000]) {
          const one = random.pick(reductionCases(into, ranks, random));
          const shape = { ranks, bytes, random };
          runGroupReduction(world, reductionOf({ type, into }, one, shape), random);
        }
      }
    }
  }
});

/** The contributions in their order, combined in pairs. */
function chain(combine: (a: number, b: number) => number) {
  return (values: readonly Value[]): Value =>
    values.map(Number).reduce((all, value) => combine(all, value));
}

test("operators of the user get the ranks in their order, on the types of the caller", () => {
  const random = new Random(SEED + 2);
  // Not commutative: the last digits of the ranks' values, in their order.
  const append = (all: number, value: number) => (all * 10 + (((value % 10) + 10) % 10)) % 1000;
  const appendAll = defineOperator<Float64Array>("append", (all, values) => {
    assert.equal(all.length, values.length);
    values.forEach((value, i) => {
      all[i] = append(all[i]!, value);
    });
  });
  const last = defineOperator<Float16View | BFloat16View>("last of halves", (all, values) => {
    assert.ok(all instanceof Float16View || all instanceof BFloat16View);
    for (let i = 0; i < all.length; i++) all.set([Math.max(all.get(i), values.get(i)) + 1], i);
  });
  const most = (type: DataType) =>
    chain((a, b) =>
      modelFloats({ type, op: "sum", ranks: 1, pre: 1, post: 1 }, [Math.max(a, b), 1]),
    );
  for (const ranks of [1, 2, 3, 4, 7, 9]) {
    const world = localJob({ ranks, arenaBytes: ARENA_BYTES });
    const cases: [DataType, DataType, ReductionCase][] = [
      ["float64", "float64", { name: "user", options: { op: appendAll }, expected: chain(append) }],
      ["float32", "float64", { name: "user", options: { op: appendAll }, expected: chain(append) }],
      ["float16", "float16", { name: "user", options: { op: last }, expected: most("float16") }],
      ["bfloat16", "bfloat16", { name: "user", options: { op: last }, expected: most("bfloat16") }],
    ];
    for (const [type, into, one] of cases) {
      for (const bytes of [8, 40, 5000, 20000]) {
        const reduction = reductionOf({ type, into }, one, { ranks, bytes, random });
        runGroupReduction(world, { ...reduction, inputs: "small" }, random);
      }
    }
  }
});

test("an operator of the user that throws closes the group with its error", () => {
  const [group] = localJob({ ranks: 1 });
  const broken = defineOperator("broken", () => {
    throw new Error("no way to combine");
  });
  const [pair, other] = localJob({ ranks: 2 });
  const send = Float32Array.of(1);
  group!.allreduceSync(send, send, { op: broken });
  const first = pair!.allreduceStart(send, send, { op: broken });
  assert.equal(first.test(), false);
  const second = other!.allreduceStart(send, send, { op: broken });
  assert.throws(() => second.test(), /no way to combine/);
  assert.throws(() => first.test(), /no way to combine/);
  assert.throws(() => pair!.barrierStart(), /closed by an earlier failure: no way to combine/);
});

/** What every rank gets of an all-reduce of these contributions. */
function allreduced<A extends Int8Array | Int32Array | Float32Array | Float64Array>(
  sends: readonly A[],
  options: ReduceOptions,
): number[] {
  const world = localJob({ ranks: sends.length });
  const recvs = sends.map((send) => send.slice() as A);
  completeAll(
    world.map((group: LocalGroup, r) => group.allreduceStart(sends[r]!, recvs[r]!, options)),
    new Random(SEED),
  );
  for (const recv of recvs) assert.deepEqual(recv, recvs[0]);
  return [...recvs[0]!];
}

test("GLO-7 HVD-7 X-2 averages divide by the ranks, of integers as the caller says", () => {
  const integers = [
    [1, 2, 3, -1],
    [1, 2, 4, -1],
    [1, 2, 4, 0],
  ].map((values) => Int32Array.from(values));
  const average = (rounding: "floor" | "truncate" | "nearest") =>
    allreduced(integers, { op: "average", rounding });
  assert.deepEqual(average("truncate"), [1, 2, 3, 0]);
  assert.deepEqual(average("floor"), [1, 2, 3, -1]);
  assert.deepEqual(average("nearest"), [1, 2, 4, -1]);
  assert.throws(
    () => allreduced(integers, { op: "average" }),
    /^TypeError: Cannot average int32: say how to round, as rounding: "floor", "truncate" or "nearest"$/,
  );
  const floats = [1, 2, 4].map((factor) => {
    return Float32Array.from({ length: 5 }, (_, i) => factor * (i + 1));
  });
  const thirds = [1, 2, 3, 4, 5].map((i) => Math.fround(Math.fround(7 * i) / 3));
  assert.deepEqual(allreduced(floats, { op: "average" }), thirds);
});

test("NCC-4 a sum of int8 wraps, saturates or is widened, as the caller says", () => {
  const sends = [Int8Array.of(120, -100), Int8Array.of(100, -100)];
  assert.deepEqual(allreduced(sends, {}), [-36, 56]);
  assert.deepEqual(allreduced(sends, { overflow: "wrap" }), [-36, 56]);
  assert.deepEqual(allreduced(sends, { overflow: "saturate" }), [127, -128]);
  const world = localJob({ ranks: 2 });
  const recvs = [new Int32Array(2), new Int32Array(2)];
  completeAll(
    world.map((group, r) => group.allreduceStart(sends[r]!, recvs[r]!, { widen: true })),
    new Random(SEED),
  );
  for (const recv of recvs) assert.deepEqual([...recv], [220, -200]);
});

test("NaN wins minima and maxima, and −0 is below 0, whoever brings them", () => {
  const sends = [
    [NaN, 1, -0, 0, Infinity, -0],
    [1, NaN, 0, -0, -Infinity, -0],
    [2, 2, 0, 0, 1, -0],
  ].map((values) => Float64Array.from(values));
  assert.deepEqual(allreduced(sends, { op: "min" }), [NaN, NaN, -0, -0, -Infinity, -0]);
  assert.deepEqual(allreduced(sends, { op: "max" }), [NaN, NaN, 0, 0, Infinity, -0]);
  assert.deepEqual(allreduced(sends, {}), [NaN, NaN, 0, 0, NaN, -0]);
});

test("NCC-5 sums that depend on the order have the same bits on all ranks, at any count", () => {
  const values = [1e8, 1, -1e8, 1];
  // The tree of four ranks is (r0 + r2) + (r1 + r3).
  for (const count of [1, 100, 5000, 40000]) {
    const sends = values.map((value) => new Float32Array(count).fill(value));
    assert.ok(allreduced(sends, {}).every((sum) => sum === 2));
    const swapped = [0, 2, 1, 3].map((i) => sends[i]!);
    assert.ok(allreduced(swapped, {}).every((sum) => sum === 0 + (Math.fround(1e8 + 1) - 1e8)));
  }
});
