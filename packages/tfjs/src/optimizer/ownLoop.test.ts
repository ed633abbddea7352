import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnLoopInput, OwnLoopOutput } from "../fixtures/ownLoopRank.js";
import { resultsOf } from "../testing/ranks.js";

const SCRIPT = new URL("../fixtures/ownLoopRank.js", import.meta.url);

interface Expected {
  readonly values: OwnLoopOutput["values"];
  readonly iterations?: number;
  /** What the error says, on every rank. */
  readonly message?: RegExp;
}

interface Where {
  readonly ranks?: number;
  readonly arenaBytes?: number;
}

async function check(
  situation: OwnLoopInput["situation"],
  expected: Expected,
  { ranks = 2, ...where }: Where = {},
): Promise<void> {
  const input = { situation, backends: ["cpu", "wasm"] as const };
  const options = { ranks, ...where, input };
  const outputs = await resultsOf<OwnLoopInput, OwnLoopOutput[]>(SCRIPT, options);
  for (const { values, iterations, message, leakedTensors } of outputs.flat()) {
    assert.match(message, expected.message ?? /^$/);
    assert.deepEqual(values, expected.values);
    assert.equal(iterations, expected.iterations ?? (expected.message ? 0 : 1));
    assert.equal(leakedTensors, 0);
  }
}

test("gradients are weighted by batch size", async () => {
  // (1·1 + 2·2 + 3·3 + 4·4) / (1 + 2 + 3 + 4)
  await check("weighted", { values: { w: [6, -3] } }, { ranks: 4 });
});

test("without a list of variables all that have gradients are averaged", async () => {
  await check("withoutList", { values: { a: [2, -0.5], b: [3, -1] } });
});

test("two gradients in one tensor are both averaged, once", async () => {
  await check("sharedGradient", { values: { a: [2, -1.5], b: [2, -1.5] } });
});

test("a heap that grows in the middle of a step does no harm", async () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const values = Object.fromEntries(names.map((name) => [name, [1_000_000, -1.5] as const]));
  await check("growingHeap", { values }, { arenaBytes: 33_000_000 });
});

test("a gradient that somebody else has, too, is left to them", async () => {
  await check("keptGradient", { values: { w: [2, -1.5], own: [2, 1] } });
});

test("too little memory on one rank is an error on all", async () => {
  const message = /Cannot allocate/;
  await check("noMemory", { values: { w: [100, 0] }, message }, { arenaBytes: 1000 });
});

test("NaN and infinities come through", async () => {
  await check("infinite", { values: { a: [1, Number.NaN], b: [1, Number.POSITIVE_INFINITY] } });
});

test("a rank with fewer steps takes part in those of the others", async () => {
  // Three steps of 3/2, then two of rank 0 alone.
  await check("unevenSteps", { values: { w: [1, -6.5] }, iterations: 5 });
});

test("a parameter that nobody uses stays as it is", async () => {
  await check("usedByNobody", { values: { a: [1, -1], b: [1, 1] } });
});

test("a parameter that one rank uses is an error that names it", async () => {
  await check("usedByOne", {
    values: { a: [1, 0], b: [1, 0] },
    message: /"b": 1 of 2 ranks have one/,
  });
});

test("different shapes are an error with both of them", async () => {
  const message = /rank 0 has "w" \[3,4\] and rank 1 has "w" \[4,3\]/;
  await check("otherShape", { values: { w: [12, 0] }, message });
});

test("different names are an error with the ranks that differ", async () => {
  const message = /rank 0 has "b" \[1\] and rank 2 has "c" \[1\]; .* from rank 0: 2, 3/;
  await check("otherName", { values: { a: [1, 0], b: [1, 0] }, message }, { ranks: 4 });
});

test("a step without any sample is an error", async () => {
  const message = /RangeError: .* on at least one rank, got 0 on all of them/;
  await check("noSamples", { values: { w: [1, 0] }, message });
});

for (const arenaBytes of [17_500, 24_000, 100_000]) {
  test(`gradients of 38,404 bytes go through ${arenaBytes} bytes of memory`, async () => {
    const values = { a: [9001, -3], b: [600, 1] } as const;
    await check("large", { values, iterations: 2 }, { arenaBytes: arenaBytes + 2000 });
  });
}

test("other parameters than in the step before get a buffer of their own", async () => {
  const values = { a: [2, -1.5], b: [3, -1.5] } as const;
  // Enough for one buffer at a time.
  await check("newParameters", { values, iterations: 2 }, { arenaBytes: 100 });
});

test("the learning rate of the inner optimizer counts", async () => {
  await check("newLearningRate", { values: { w: [1, -16.5] }, iterations: 2 });
});
