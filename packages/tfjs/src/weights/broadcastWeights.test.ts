import assert from "node:assert/strict";
import { test } from "node:test";
import { layers, sequential } from "@tensorflow/tfjs-layers";
import { init } from "mlsl";
import type { BroadcastInput, BroadcastOutput } from "../fixtures/broadcastRank.js";
import { useBackend } from "../fixtures/models.js";
import { resultsOf, runRanks } from "../testing/ranks.js";
import { broadcastWeights } from "./broadcastWeights.js";

const { world } = await init();

const SCRIPT = new URL("../fixtures/broadcastRank.js", import.meta.url);

const BASE: BroadcastInput = { backend: "cpu", root: 0, optimizer: "momentum", trained: [] };

async function broadcast(
  change: Partial<BroadcastInput>,
  where: { readonly ranks?: number; readonly arenaBytes?: number } = {},
): Promise<BroadcastOutput[]> {
  const input = { ...BASE, ...change };
  const options = { ranks: 2, ...where, input };
  const outputs = await resultsOf<BroadcastInput, BroadcastOutput>(SCRIPT, options);
  const root = outputs[input.root] as BroadcastOutput;
  for (const { weights, state, next } of outputs) {
    assert.deepEqual(weights, root.before, "everybody has what the root had");
    assert.deepEqual(state, root.stateBefore);
    assert.deepEqual(next, root.next, "and goes on in the same way");
  }
  return outputs;
}

test("weights, statistics, integers and booleans become those of the root", async () => {
  const outputs = await broadcast({ root: 1, trained: [1] }, { ranks: 3 });
  const [first, second] = outputs as [BroadcastOutput, BroadcastOutput];
  assert.notDeepEqual(first.before, second.before);
  // Two dense layers, normalization, and one more dense layer, with two arrays of counters.
  assert.equal(first.weights.length, 4 + 4 + 2 + 2);
  assert.ok(first.weights.some(([, big]) => big === 2 ** 31 - 2));
  assert.equal(second.leakedTensors, 0);
});

for (const optimizer of ["sgd", "momentum", "adam", "rmsprop"] as const) {
  test(`the state of ${optimizer} comes along, to ranks with and without one`, async () => {
    for (const trained of [[0], [0, 1]]) {
      const outputs = await broadcast({ optimizer, trained, backend: "wasm" });
      assert.equal(outputs[1]?.state[0]?.[0], 3, "the root has made 3 steps");
      assert.equal(outputs[0]?.leakedTensors, 0);
    }
  });
}

test("a root that has not trained takes the state of others away", async () => {
  const outputs = await broadcast({ trained: [1] });
  assert.deepEqual(outputs[1]?.state, [[0]]);
});

test("a model that is not compiled has weights alone", async () => {
  const outputs = await broadcast({ optimizer: "none" });
  assert.deepEqual(outputs[1]?.state, []);
  assert.equal(outputs[1]?.leakedTensors, 0);
});

test("little memory makes several pieces", async () => {
  await broadcast({ trained: [0] }, { arenaBytes: 600 });
});

const DIFFERENCES = [
  ["units", /rank 0 has "last\/kernel" \[3,3\] float32 and rank 2 has "last\/kernel" \[3,4\]/],
  ["layer", /rank 0 has "last\/kernel" .* and rank 2 has "another\/kernel"/],
  ["uncompiled", /rank 0 has "optimizer" Momentum and rank 2 has "optimizer" not compiled/],
  ["optimizer", /rank 0 has "optimizer" Momentum and rank 2 has "optimizer" SGD/],
] as const;

for (const [difference, message] of DIFFERENCES) {
  test(`different ${difference} on one rank is an error on all`, async () => {
    const input = { ...BASE, difference };
    for (const outcome of await runRanks(SCRIPT, { ranks: 3, input })) {
      assert.ok("error" in outcome);
      assert.match(outcome.error, /^Error: Cannot broadcast weights: /);
      assert.match(outcome.error, message);
    }
  });
}

test("a model without layers, or a root that is no rank, is an error", async () => {
  await useBackend("cpu");
  await assert.rejects(broadcastWeights(sequential(), world), /TypeError: .* add layers/);
  const built = sequential({ layers: [layers.dense({ units: 2, inputShape: [1] })] });
  await broadcastWeights(built, world);
  for (const root of [1, -1, 0.5]) {
    await assert.rejects(broadcastWeights(built, world, { root }), /rank from 0 to 0/);
  }
});
