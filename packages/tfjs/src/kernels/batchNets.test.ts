// Whole nets: the gradients of a batch are, bit for bit, the averages of those of its halves and
// quarters, and so is a whole training.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import * as tf from "@tensorflow/tfjs-core";
import type * as tfl from "@tensorflow/tfjs-layers";
import { batchFor, leNet, multilayer, setWeights } from "./fixtures/nets.js";
import { assertSameBits, dealt } from "./fixtures/trees.js";
import { fuseUpdates } from "./fuseUpdates.js";
import { useWasmBackend } from "./setup.js";

/** The least batch whose quarters are leaves, and one whose tree is deeper. */
const BATCHES = [64, 128];

/** Long enough for any difference to grow visible: it doubles every few steps. */
const STEPS = 30;

interface Batch {
  readonly x: tf.Tensor;
  readonly y: tf.Tensor;
}

const share = ({ x, y }: Batch, rank: number, ranks: number): Batch => ({
  x: dealt(x, rank, ranks),
  y: dealt(y, rank, ranks),
});

function variablesOf(model: tfl.LayersModel): tf.Variable[] {
  return model.trainableWeights.map((weight) => weight.read() as tf.Variable);
}

/** Mean loss over the batch, and its gradients, in the order of the weights. */
function lossAndGradients(model: tfl.LayersModel, { x, y }: Batch): tf.Tensor[] {
  const weights = variablesOf(model);
  const { value, grads } = tf.variableGrads(() => {
    const output = tf.clipByValue(model.apply(x, { training: true }) as tf.Tensor, 1e-7, 1);
    return tf.neg(tf.mean(tf.sum(tf.mul(y, tf.log(output)), -1)));
  }, weights);
  return [value, ...weights.map(({ name }) => grads[name]!)];
}

/** (a + b) / 2 of each pair. */
function average(a: readonly tf.Tensor[], b: readonly tf.Tensor[]): tf.Tensor[] {
  return a.map((tensor, i) => tf.div(tf.add(tensor, b[i]!), 2));
}

function assertAllSame(actual: tf.Tensor[], expected: tf.Tensor[], what: string): void {
  assert.equal(actual.length, expected.length);
  for (const [i, tensor] of expected.entries()) {
    assertSameBits(actual[i]!, tensor, `${what}, result ${i}`);
  }
}

before(useWasmBackend);

for (const [name, make] of Object.entries({ leNet, multilayer })) {
  for (const size of BATCHES) {
    test(`${name}: loss and gradients of ${size} are those of 2 halves and of 4 quarters`, () => {
      tf.tidy(() => {
        const model = make();
        setWeights(model);
        const batch = batchFor(model, size);
        const whole = lossAndGradients(model, batch);
        const of = (rank: number, ranks: number): tf.Tensor[] =>
          lossAndGradients(model, share(batch, rank, ranks));
        assertAllSame(average(of(0, 2), of(1, 2)), whole, "halves");
        const even = average(of(0, 4), of(2, 4));
        assertAllSame(average(even, average(of(1, 4), of(3, 4))), whole, "quarters");
      });
    });
  }

  test(`${name}: ${STEPS} steps on 64 and on the average of two halves have the same weights`, () => {
    const [one, two] = [0, 1].map(() => {
      const model = make();
      setWeights(model);
      return { model, optimizer: fuseUpdates(tf.train.momentum(0.02, 0.9)) };
    });
    const batch = batchFor(one!.model, 64);
    const step = (
      { model, optimizer }: NonNullable<typeof one>,
      [, ...gradients]: tf.Tensor[],
    ): void => {
      const named = variablesOf(model).map(({ name }, i) => ({ name, tensor: gradients[i]! }));
      optimizer.applyGradients(named);
    };
    const losses: number[] = [];
    for (let i = 0; i < STEPS; i++) {
      tf.tidy(() => {
        const whole = lossAndGradients(one!.model, batch);
        const halves = [0, 1].map((rank) => lossAndGradients(two!.model, share(batch, rank, 2)));
        losses.push(whole[0]!.dataSync()[0]!);
        step(one!, whole);
        step(two!, average(halves[0]!, halves[1]!));
        assertAllSame(variablesOf(two!.model), variablesOf(one!.model), `step ${i}`);
      });
    }
    assert.ok(losses.at(-1)! < losses[0]!, `losses ${losses.join(", ")}`);
  });
}
