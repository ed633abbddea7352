/** What is refused, what fails, and what still works afterwards. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  GroupClosedError,
  MismatchError,
  RankLostError,
  TimeoutError,
} from "../../errors/communicationErrors.js";
import { STATUS_OFFSET } from "../../memory/layout.js";
import { encodeStatus } from "../../memory/rankStatus.js";
import { localJob } from "../../testing/localJob.js";
import type { Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

/** Starts on two ranks what must not match, and returns the error of each. */
function mismatch(start: (group: LocalGroup) => Request): [MismatchError, MismatchError] {
  const world = localJob({ ranks: 2 });
  const requests = world.map(start);
  const errors = requests.map((request) => {
    for (let i = 0; i < 3; i++) {
      try {
        assert.equal(request.test(), false);
      } catch (error) {
        assert.ok(error instanceof MismatchError, String(error));
        return error;
      }
      // The second rank has come by now.
      try {
        requests[1]!.test();
      } catch (error) {
        assert.ok(error instanceof MismatchError);
      }
    }
    return assert.fail("no mismatch was noticed");
  });
  for (const group of world) assert.throws(() => group.barrierStart(), GroupClosedError);
  return [errors[0]!, errors[1]!];
}

test("GLO-4 NCC-1 counts that differ are the same error on every rank, before data is written", () => {
  for (const [a, b] of [
    [4096, 327680],
    [4096, 4094],
    [256, 512],
    [1, 2],
    [0, 1],
  ] as const) {
    const arrays = [new Float32Array(a).fill(1), new Float32Array(b).fill(2)];
    const errors = mismatch((g) => g.allreduceStart(arrays[g.rank]!, arrays[g.rank]!));
    for (const error of errors) {
      assert.equal(error.code, "MLSL_MISMATCH");
      assert.deepEqual(error.requested, [
        `allreduce sum of ${a} float32`,
        `allreduce sum of ${b} float32`,
      ]);
    }
    assert.deepEqual(
      arrays.map((array, r) => array.every((x) => x === r + 1)),
      [true, true],
    );
  }
});

test("HVD-3 types, operators, roots and kinds that differ are named", () => {
  const floats = new Float32Array(2);
  const doubles = new Float64Array(2);
  const cases: [(group: LocalGroup) => Request, RegExp][] = [
    [
      (g) => (g.rank === 0 ? g.allreduceStart(floats, floats) : g.allreduceStart(doubles, doubles)),
      /sum of 2 float32; .*sum of 2 float64|sum of 2 float64; .*sum of 2 float32/,
    ],
    [
      (g) => g.allreduceStart(floats, floats, { op: g.rank === 0 ? "min" : "max" }),
      /allreduce min .*allreduce max|allreduce max .*allreduce min/,
    ],
    [(g) => g.broadcastStart(floats, { root: g.rank }), /from rank 0.*from rank 1/],
    [
      (g) => (g.rank === 0 ? g.barrierStart() : g.broadcastStart(floats)),
      /rank 0 asked for barrier/,
    ],
  ];
  for (const [start, message] of cases) {
    const [first] = mismatch(start);
    assert.match(first.message, message);
    assert.match(first.message, /^Mismatch at rank 0, group "world", operation 1 /);
  }
});

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

test("wrong arguments are refused before anything starts", () => {
  const [group] = localJob({ ranks: 1 });
  const world = group!;
  const f4 = new Float32Array(4);
  const i4 = new Int32Array(4);
  const wide = new Float32Array(8);
  const wrong: [() => void, RegExp][] = [
    [() => world.allreduceSync(f4, wide), /equal counts, got 4 float32 and 8 float32/],
    [() => world.allreduceSync<Float32Array | Float64Array>(f4, new Float64Array(4)), /one type/],
    [
      () => world.allreduceSync(i4, i4, { op: "average" }),
      /Cannot average int32: say how to round/,
    ],
    [() => world.allreduceSync(f4, f4, { op: "nand" as "sum" }), /op must be one of sum, /],
    [() => world.allreduceSync(wide.subarray(0, 4), wide.subarray(2, 6)), /overlap in part/],
    [() => world.broadcastSync(f4, { root: 1 }), /root must be a rank from 0 to 0, got 1/],
    [() => world.broadcastSync(f4, { root: -1 }), RangeError as unknown as RegExp],
    [() => world.allgatherSync(f4, wide), /recv must have 1 times the count of send/],
    [() => world.allgatherSync(wide.subarray(1, 5), wide.subarray(0, 4)), /overlaps/],
    [() => world.allreduceSync([1] as unknown as Float32Array, f4), /expected one of Int8Array/],
    [() => world.allocate("float32", -1), /count must be a whole number/],
  ];
  for (const [call, message] of wrong) assert.throws(call, message);
  assert.equal(world.statistics.operations, 0);
  world.barrierSync();
});
