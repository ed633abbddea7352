/** Which buffers an operation looks at, and which are its own until it has completed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob } from "../../testing/localJob.js";

test("what a rank does not need is ignored: recv where nothing arrives, send where nothing leaves", () => {
  const world = localJob({ ranks: 2 });
  // What TypeScript would not let through.
  const odd = "odd" as unknown as Float32Array;
  const make = (count: number): Float32Array => new Float32Array(count);
  const counts = [1, 1];
  const requests = world.flatMap((group) => {
    const isRoot = group.rank === 0;
    return [
      group.reduceStart(make(1), isRoot ? make(1) : odd),
      group.gatherStart(make(1), isRoot ? make(2) : odd),
      group.gathervStart(make(1), isRoot ? make(2) : odd, isRoot ? { counts } : {}),
      group.scatterStart(isRoot ? make(2) : odd, make(1)),
      group.scattervStart(isRoot ? make(2) : odd, make(1), isRoot ? { counts } : {}),
    ];
  });
  completeAll(requests, new Random(2));
});

test("a buffer in use by an operation that has not completed is refused, in every operation", () => {
  const world = localJob({ ranks: 2 });
  const [group] = world;
  const pending = new Float32Array(8);
  const read = new Float32Array(8);
  const fresh = () => new Float32Array(8);
  const reading = group!.allgatherStart(read, new Float32Array(16));
  const writing = group!.broadcastStart(pending, { root: 1 });
  const [part, whole] = [pending.subarray(6, 8), new Float32Array(16)];
  const counts = [1, 1];
  const calls: (() => unknown)[] = [
    () => group!.allreduceStart(pending, pending),
    () => group!.allreduceStart(fresh(), read),
    () => group!.reduceStart(pending, fresh()),
    () => group!.reduceScatterStart(part, new Float32Array(1)),
    () => group!.reduceScattervStart(part, new Float32Array(1), { counts }),
    () => group!.broadcastStart(read, { root: 1 }),
    () => group!.broadcastStart(part),
    () => group!.allgatherStart(part, new Float32Array(4)),
    () => group!.allgatherStart(new Float32Array(4), pending),
    () => group!.allgathervStart(new Float32Array(1), part, { counts }),
    () => group!.gatherStart(part, new Float32Array(4)),
    () => group!.gathervStart(part.subarray(1), new Float32Array(2), { counts }),
    () => group!.scatterStart(whole, read),
    () => group!.scattervStart(part, new Float32Array(1), { counts }),
    () => group!.alltoallStart(part, new Float32Array(2)),
    () =>
      group!.alltoallvStart(part, new Float32Array(2), { sendCounts: counts, recvCounts: counts }),
    () => group!.allreducePersistent(pending, pending).start(),
    () => group!.allreduceSync(pending, pending),
  ];
  for (const call of calls) {
    assert.throws(call, (error: unknown) => {
      assert.ok(error instanceof TypeError, String(error));
      assert.match(
        error.message,
        /^Cannot start .*: a buffer is in use by an operation that has not/,
      );
      return true;
    });
  }
  // Two operations may read the same.
  const again = group!.allgatherStart(read, new Float32Array(16));
  const other = world[1]!;
  completeAll(
    [
      reading,
      writing,
      again,
      other.allgatherStart(read, new Float32Array(16)),
      other.broadcastStart(fresh(), { root: 1 }),
      other.allgatherStart(read, new Float32Array(16)),
    ],
    new Random(3),
  );
  assert.equal(group!.statistics.operations, 3);
});
