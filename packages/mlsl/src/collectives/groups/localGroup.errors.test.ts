/** What is refused, what fails, and what still works afterwards. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupClosedError, RankLostError, TimeoutError } from "../../errors/communicationErrors.js";
import { STATUS_OFFSET } from "../../memory/layout.js";
import { encodeStatus } from "../../memory/rankStatus.js";
import { localJob } from "../../testing/localJob.js";

test("a rank that has ended is named to whoever waits for it", () => {
  const world = localJob({ ranks: 3 });
  const segmentWords = new Int32Array(world[0]!.allocate("int32", 1).buffer);
  world[1]!.barrierStart().test();
  segmentWords[STATUS_OFFSET / 4 + 2] = encodeStatus({ kind: "signalled", signal: 9 });
  assert.throws(
    () => world[0]!.barrierSync(),
    (error: unknown) => {
      assert.ok(error instanceof RankLostError, String(error));
      assert.equal(error.code, "MLSL_RANK_LOST");
      assert.deepEqual(error.lost, [{ rank: 2, status: { kind: "signalled", signal: 9 } }]);
      assert.match(error.message, /rank 2 was ended by signal 9 without taking part/);
      return true;
    },
  );
});

test("a rank that took part before it ended is not missed", () => {
  const world = localJob({ ranks: 2 });
  const segmentWords = new Int32Array(world[0]!.allocate("int32", 1).buffer);
  world[1]!.barrierStart().test();
  segmentWords[STATUS_OFFSET / 4 + 1] = encodeStatus({ kind: "exited", code: 0 });
  world[0]!.barrierSync();
  assert.throws(() => world[0]!.barrierSync(), /rank 1 has exited with code 0/);
});

test("a wait that lasts too long names the ranks that are missing", async () => {
  const world = localJob({ ranks: 4 });
  const sum = new Float32Array(10);
  world[2]!.allreduceStart(sum, sum).test();
  const isTimeout = (error: unknown) => {
    assert.ok(error instanceof TimeoutError, String(error));
    assert.equal(error.code, "MLSL_TIMEOUT");
    assert.deepEqual(error.missing, [1, 3]);
    assert.match(error.message, /Timed out after 60 ms .*ranks 1, 3 have not taken part/);
    return true;
  };
  assert.throws(() => world[0]!.allreduceSync(sum, sum, { timeoutMs: 60 }), isTimeout);
  const other = localJob({ ranks: 4 });
  other[2]!.allreduceStart(sum, sum).test();
  await assert.rejects(other[0]!.allreduce(sum, sum, { timeoutMs: 60 }), isTimeout);
});

test("everything pending fails with the first failure, and the reason stays", async () => {
  const world = localJob({ ranks: 2 });
  const first = world[0]!.barrierStart({ timeoutMs: 30 });
  const second = world[0]!.barrierStart();
  await assert.rejects(second.wait(), TimeoutError);
  assert.throws(() => first.waitSync(), TimeoutError);
  assert.ok(first.done && second.done);
  assert.throws(
    () => world[0]!.barrierSync(),
    (error: unknown) => {
      assert.ok(error instanceof GroupClosedError);
      assert.equal(error.code, "MLSL_GROUP_CLOSED");
      assert.ok(error.cause instanceof TimeoutError);
      return true;
    },
  );
});
