import assert from "node:assert/strict";
import { test } from "node:test";
import type { TrainingEvent } from "../mnist/events.js";
import { runTraining } from "./runTraining.js";

const training = { net: "mlp", epochs: 2, seed: 1, limit: 256 } as const;

test("a training tells all its events and comes to figures", async () => {
  const kinds: TrainingEvent["kind"][] = [];
  const texts: string[] = [];
  const { start, epochs, done } = await runTraining({
    ranks: 2,
    threads: false,
    training,
    onEvent: ({ kind }) => kinds.push(kind),
    onText: (text) => texts.push(text),
    signal: new AbortController().signal,
  });
  assert.deepEqual(texts, []);
  assert.deepEqual(
    kinds.filter((kind) => kind !== "step"),
    ["start", "epoch", "epoch", "done"],
  );
  assert.deepEqual([start.ranks, start.stepsPerEpoch, start.images], [2, 2, 256]);
  assert.deepEqual(
    epochs.map(({ epoch, losses }) => [epoch, losses.length]),
    [
      [0, 2],
      [1, 2],
    ],
  );
  assert.equal(done.bitEqual, true);
  assert.match(done.weightsHash, /^[0-9a-f]{64}$/);
});

test("a training that is broken off is an error with the exit code of the signal", async () => {
  const abort = new AbortController();
  const job = runTraining({
    ranks: 2,
    threads: false,
    training: { ...training, epochs: 1000 },
    onEvent: () => abort.abort(),
    onText: () => {},
    signal: abort.signal,
  });
  await assert.rejects(job, { code: "ERR_DEMO_TRAINING_FAILED", exitCode: 143 });
});
