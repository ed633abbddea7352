import assert from "node:assert/strict";
import { test } from "node:test";
import { init } from "mlsl";
import { EpochRecorder } from "./epochRecorder.js";
import { measureOnTwoRanks } from "./fixtures/measure.js";

test("alone, the average of the ranks is the loss itself", async () => {
  const { world } = await init();
  const recorder = new EpochRecorder(3);
  assert.equal(recorder.fastestMs, Number.POSITIVE_INFINITY);
  for (const [step, loss] of [0.5, 0.25, 0.125].entries()) {
    assert.equal(recorder.add({ loss, size: 4 - step }), loss);
  }
  assert.equal(recorder.steps, 3);
  assert.ok(recorder.fastestMs >= 0 && Number.isFinite(recorder.fastestMs));
  assert.deepEqual(await recorder.average(world), [0.5, 0.25, 0.125]);
});

test("on several ranks it is weighted by their samples", async () => {
  const { losses } = await measureOnTwoRanks();
  assert.deepEqual(losses, [(3 * 0 + 1 * 4) / 4, 1]);
});
