import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderMode } from "../../engine/order.js";
import { boundsOf } from "./bounds.js";
import type { NetLayer } from "./layers.js";
import type { Net } from "./nets.js";
import { simulateTraining, type TrainingSpec } from "./trainingStep.js";

/** A net that computes 12 ms, on two nodes between which a megabyte takes a millisecond. */
function netOf(...layers: readonly (readonly [bytes: number, multiplyAdds: number])[]): Net {
  return {
    name: "tiny",
    layers: layers.map(([bytes, multiplyAdds], i): NetLayer => {
      return { name: `layer${i}`, messages: [bytes], multiplyAdds };
    }),
    computeMs: 12,
    computeSource: "published",
  };
}

function specOf(net: Net, mode: OrderMode, change: Partial<TrainingSpec> = {}): TrainingSpec {
  return {
    ...{ net, batch: 64, warmUp: 1, measured: 2 },
    algorithms: ["halvingDoubling"],
    cluster: {
      mode,
      network: { ranks: 2, latencyMs: 0, overheadMs: 0, bandwidthGBps: 1 },
      kernels: { combineGBps: Number.POSITIVE_INFINITY, copyGBps: Number.POSITIVE_INFINITY },
      ...{ chunkBytes: 65536, windowBytes: 131072 },
    },
    ...change,
  };
}

/**
 * A frame's headers are a thousandth of a chunk; in each of two rounds a window of 0.13 ms may be
 * before an urgent chunk, and every sixteenth chunk is the oldest request's.
 */
function assertNear(actual: number, expected: number, what: string): void {
  assert.ok(Math.abs(actual - expected) < 0.002 * expected + 0.35, `${what}: ${actual}`);
}

test("one layer waits for all its communication", () => {
  const { stepMs, exposedMs } = simulateTraining(specOf(netOf([5e6, 1]), "priority"));
  assertNear(stepMs, 12 + 5, "step");
  assertNear(exposedMs[0]!, 5, "exposed");
});

test("a layer whose communication is over in time waits for nothing", () => {
  // The second layer has 11 ms for 8 MB, of which 7.3 pass before the first layer's begins.
  const net = netOf([1e6, 11], [8e6, 1]);
  const { stepMs, exposedMs } = simulateTraining(specOf(net, "priority"));
  assertNear(exposedMs[0]!, 1, "first");
  assert.equal(exposedMs[1], 0);
  assertNear(stepMs, 12 + 1, "step");
});

test("oldest first, the first layer waits for all that was started before", () => {
  // 20 MB start 7.33 ms before the first layer's 1 MB.
  const net = netOf([1e6, 11], [20e6, 1]);
  const fifo = simulateTraining(specOf(net, "fifo"));
  assertNear(fifo.exposedMs[0]!, 21 - 7.333, "fifo, first");
  assertNear(fifo.stepMs, 12 + 21 - 7.333, "fifo, step");
  for (const mode of ["lifo", "priority"] as const) {
    const { stepMs, exposedMs } = simulateTraining(specOf(net, mode));
    assertNear(exposedMs[0]!, 1, `${mode}, first`);
    // Whatever waits, in any order without gaps: 21 MB and the one layer that is computed meanwhile.
    assertNear(stepMs, 1 + 21, `${mode}, step`);
    const bounds = boundsOf({ net, batch: 64, nodes: 2, bandwidthGBps: 1 });
    assertNear(bounds.pipelineBoundMs, 22, "bound");
  }
});

test("the same seed gives the same run, another a different one, and skew takes longer", () => {
  const net = netOf([1e6, 2], [3e6, 1]);
  const run = (skew: number, seed: number) =>
    simulateTraining(specOf(net, "priority", { skew, seed }));
  assert.deepEqual(run(0.2, 1), run(0.2, 1));
  assert.notEqual(run(0.2, 1).stepMs, run(0.2, 2).stepMs);
  assert.ok(run(0.2, 1).stepMs > run(0, 1).stepMs);
  assert.deepEqual(run(0, 1), run(0, 2));
});

test("impossible batches and iterations are refused", () => {
  const spec = specOf(netOf([4, 1]), "fifo");
  assert.throws(() => simulateTraining({ ...spec, batch: 0 }), /"batch" must be an integer from 1/);
  assert.throws(() => simulateTraining({ ...spec, measured: 0 }), /"measured" must be/);
  assert.throws(() => simulateTraining({ ...spec, warmUp: 0.5 }), /"warmUp" must be/);
});
