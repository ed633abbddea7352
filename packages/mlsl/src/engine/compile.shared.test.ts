/** Steps of ranks that read each other's memory: what is held, and what is combined at once. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "./compile.js";
import { OP_COPY, OP_HOLD, OP_REDUCE } from "./program.js";

const vector = { buffer: "recv", offset: 0, count: 10 } as const;

test("each chunk of a reduction waits for the same chunk of all that is held, and names them", () => {
  const steps = [
    { kind: "hold", from: 2, count: 10 },
    { kind: "hold", from: 0, count: 10 },
    { kind: "reduce", own: { ...vector, buffer: "send" }, to: vector },
  ] as const;
  const program = compile({ scratchCount: 0, steps }, { elementBytes: 4, chunkBytes: 16 });
  const holds = [OP_HOLD, OP_HOLD, OP_HOLD, OP_HOLD, OP_HOLD, OP_HOLD];
  assert.deepEqual([...program.kinds], [...holds, OP_REDUCE, OP_REDUCE, OP_REDUCE]);
  assert.deepEqual([...program.counts], [4, 4, 2, 4, 4, 2, 4, 4, 2]);
  assert.deepEqual(
    [...program.held],
    [
      [6, [0, 3]],
      [7, [1, 4]],
      [8, [2, 5]],
    ],
  );
  assert.deepEqual([...program.waits], [0, 0, 0, 0, 0, 0, 2, 2, 2]);
  assert.deepEqual([...program.receives.get(2)!], [0, 1, 2]);
});

test("a reduction in place stays, a copy in place does not", () => {
  const own = { ...vector, buffer: "send" } as const;
  const steps = [
    { kind: "copy", from: own, to: vector },
    { kind: "reduce", own, to: vector },
  ] as const;
  const cut = { elementBytes: 4, chunkBytes: 64, sendInRecv: 0 };
  assert.deepEqual([...compile({ scratchCount: 0, steps }, cut).kinds], [OP_REDUCE]);
  const apart = { elementBytes: 4, chunkBytes: 64 };
  assert.deepEqual([...compile({ scratchCount: 0, steps }, apart).kinds], [OP_COPY, OP_REDUCE]);
});

test("what follows waits for the reduction, and later reductions hold anew", () => {
  const steps = [
    { kind: "hold", from: 1, count: 10 },
    { kind: "reduce", own: vector, to: vector },
    { kind: "send", to: 1, region: vector },
    { kind: "hold", from: 1, count: 10 },
    { kind: "reduce", own: vector, to: vector },
  ] as const;
  const program = compile({ scratchCount: 0, steps }, { elementBytes: 4, chunkBytes: 64 });
  assert.deepEqual([...program.waits.slice(0, 4)], [0, 1, 1, 0]);
  const [after] = program.nextStarts.slice(2);
  assert.equal(program.next[after!], 4, "the send must be over before its bytes change");
  assert.deepEqual(program.held.get(4), [3]);
});
