/** Reductions of all types by all operators: one suite over the WebAssembly kernels and their twin. */

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DATA_TYPES } from "../memory/dataTypes.js";
import { segmentBytesFor } from "../memory/layout.js";
import { newThreadMemory } from "../memory/segment.js";
import { Random } from "../simulation/random.js";
import { KERNELS } from "../testing/localJob.js";
import {
  acceptsCode,
  type Inputs,
  type ReductionRun,
  runReduction,
} from "../testing/models/reductionRun.js";
import { chooseKernels } from "./chooseKernels.js";
import { OP_CODES } from "./kernels.js";
import { type ReductionOperator, reductionExists } from "./reductions.js";

const memory = newThreadMemory(1, segmentBytesFor(1, 8388608));
const OPERATORS = Object.keys(OP_CODES) as ReductionOperator[];
const PAIRS = DATA_TYPES.flatMap(({ name }) =>
  OPERATORS.filter((op) => reductionExists(name, op)).map((op) => ({ type: name, op })),
);
const INPUTS: readonly Inputs[] = ["bits", "small", "special"];
/** Nothing, one, primes around the sizes of vectors and blocks. */
const COUNTS = [0, 1, 2, 3, 7, 13, 31, 67, 131];

function wholeRun(run: Omit<ReductionRun, "begin" | "middle" | "end">): ReductionRun {
  return { ...run, begin: 0, middle: Math.floor(run.count / 3), end: run.count };
}

for (const name of KERNELS) {
  const kernels = chooseKernels(memory, name);

  for (const type of DATA_TYPES.map((info) => info.name)) {
    test(`${name} reduce combines ${type} as the model does, 1 to 9 sources and targets`, () => {
      let seed = 1;
      for (const { op } of PAIRS.filter((pair) => pair.type === type)) {
        for (let sources = 1; sources <= 9; sources++) {
          for (const count of COUNTS) {
            const random = new Random(seed++);
            const targets = random.below(2) === 0 ? sources : 1 + random.below(9);
            const inPlace = random.below(2) === 0;
            const factors = { pre: random.next() * 4 - 2, post: random.next() };
            const shape = { sources, targets, inPlace, count, ranks: sources };
            const run = wholeRun({ type, op, ...shape, ...factors });
            runReduction(kernels, memory, { run, random, inputs: INPUTS[seed % 3]! });
          }
        }
      }
    });
  }

  test(`${name} reduce touches nothing but its elements, wherever they begin and end`, () => {
    const runs = fc.record({
      pair: fc.constantFrom(...PAIRS),
      sources: fc.integer({ min: 1, max: 9 }),
      targets: fc.integer({ min: 1, max: 9 }),
      inPlace: fc.boolean(),
      places: fc.tuple(fc.nat(300), fc.nat(300), fc.nat(300), fc.nat(300)),
      more: fc.nat(55),
      pre: fc.double({ min: -1e30, max: 1e30 }),
      post: fc.double({ min: -1e30, max: 1e30 }),
      seed: fc.nat(),
      inputs: fc.constantFrom(...INPUTS),
    });
    fc.assert(
      fc.property(runs, ({ pair, places, more, seed, inputs, ...rest }) => {
        const [begin, middle, end, count] = places.toSorted((a, b) => a - b) as typeof places;
        // The mean of integers is in their range when there are as many ranks as sources, or more.
        const ranks = more + (pair.op.startsWith("average") ? rest.sources : 1);
        const run = { ...pair, ...rest, ranks, begin, middle, end, count };
        runReduction(kernels, memory, { run, random: new Random(seed), inputs });
      }),
      { numRuns: 500 },
    );
  });

  test(`${name} reduce accepts the types and operators that reductionExists tells, no others`, () => {
    const codes = new Map(DATA_TYPES.map(({ name: type, code }) => [code, type]));
    const operators = new Map(OPERATORS.map((op) => [OP_CODES[op] as number, op]));
    for (let typeCode = 0; typeCode <= 14; typeCode++) {
      for (const opCode of [...operators.keys(), 13, 255]) {
        const [type, op] = [codes.get(typeCode), operators.get(opCode)];
        const exists = type !== undefined && op !== undefined && reductionExists(type, op);
        const accepts = acceptsCode(kernels, memory, typeCode * 256 + opCode);
        assert.equal(accepts, exists, `type ${typeCode} ${type}, operator ${opCode} ${op}`);
      }
    }
  });
}
