/** Calls that repeat themselves, and those that only seem to. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob } from "../../testing/localJob.js";
import type { LocalGroup } from "../groups/localGroup.js";
import type { ReduceOptions } from "../options.js";

/** All-reduces 1 and 2, and gives what came of it. */
function combine(
  world: readonly LocalGroup[],
  arrays: readonly Int32Array[],
  options: readonly ReduceOptions[],
): number {
  arrays.forEach((array, r) => void array.fill(r + 1));
  const requests = world.map((g, r) => g.allreduceStart(arrays[r]!, arrays[r]!, options[r]));
  completeAll(requests, new Random(1));
  return arrays[0]![0]!;
}

test("equal calls give equal results, other options and options that were changed do not", () => {
  const world = localJob({ ranks: 2 });
  const arrays = world.map((group) => group.allocate("int32", 4));
  const both = (options: ReduceOptions) => combine(world, arrays, [options, { ...options }]);
  for (let round = 0; round < 3; round++) {
    assert.equal(both({}), 3);
    assert.equal(both({}), 3);
    assert.equal(both({ op: "product" }), 2);
    assert.equal(both({ op: "average", rounding: "floor" }), 1);
    assert.equal(both({ op: "average", rounding: "nearest" }), 2);
  }
  const options: { op: "sum" | "max" } = { op: "sum" };
  assert.equal(both(options), 3);
  options.op = "max";
  assert.equal(both(options), 2);
});

test("counts that their owner changes are read anew", () => {
  const [group] = localJob({ ranks: 1 });
  const [send, recv] = [group!.allocate("int32", 4), group!.allocate("int32", 4)];
  const offsets = [0];
  send.set([1, 2, 3, 4]);
  for (const offset of [0, 1, 2]) {
    offsets[0] = offset;
    recv.fill(0);
    group!.allgathervSync(send.subarray(0, 2), recv, { counts: [2], offsets });
    assert.deepEqual(
      [...recv],
      [0, 0, 0, 0].map((_, i) => [1, 2][i - offset] ?? 0),
    );
  }
});
