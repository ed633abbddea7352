/** Groups whose operations progress workers carry out; the workers live in the same thread here. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { OrderMode } from "../../engine/order.js";
import {
  GroupClosedError,
  MismatchError,
  RankLostError,
} from "../../errors/communicationErrors.js";
import { STATUS_OFFSET } from "../../memory/layout.js";
import { encodeStatus } from "../../memory/rankStatus.js";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob } from "../../testing/localJob.js";
import { SEED } from "../../testing/seed.js";
import { defineOperator } from "../operations/operators.js";

test("requests of different names may be started in different orders, those of one name not", () => {
  const world = localJob({ ranks: 2, workers: 2 });
  const names = ["a", "b", "a"];
  const vectors = world.map(({ rank }) => names.map((_, i) => Int32Array.of(10 * i + rank)));
  const start = (rank: number, i: number) => {
    const vector = vectors[rank]![i]!;
    return world[rank]!.allreduceStart(vector, vector, { name: names[i]! });
  };
  const first = [start(0, 0), start(0, 1), start(0, 2)];
  const second = [start(1, 1), start(1, 0), start(1, 2)];
  completeAll([...first, ...second], new Random(SEED));
  for (const own of vectors)
    assert.deepEqual(
      own.flatMap((v) => [...v]),
      [1, 21, 41],
    );
});

test("without workers another order of names is a mismatch", () => {
  const world = localJob({ ranks: 2, workers: 0 });
  const vector = new Float32Array(4);
  world[0]!.allreduceStart(vector, vector, { name: "a" });
  world[1]!.allreduceStart(vector, vector, { name: "b" });
  assert.throws(() => world[0]!.barrierSync(), /rank 0 asked for .*name "a".* rank 1 .*name "b"/);
});

/** In which order three requests are over that are started with priorities 2, 0 and 1. */
function orderOf(mode: OrderMode, withPriority: boolean): number[] {
  const world = localJob({ ranks: 2, workers: 1, mode, arenaBytes: 1048576 });
  const priorities = [2, 0, 1];
  const requests = world.map((group) =>
    priorities.map((priority) => {
      const vector = group.allocate("float32", 300000);
      return group.allreduceStart(vector, vector, withPriority ? { priority } : {});
    }),
  );
  const order: number[] = [];
  for (let turn = 0; order.length < 3 && turn < 1000; turn++) {
    requests[1]![0]!.test();
    requests[0]!.forEach((request, i) => {
      if (request.test() && !order.includes(i)) order.push(i);
    });
  }
  completeAll(requests.flat(), new Random(SEED));
  return order;
}

test("the most urgent comes first, or the newest, or the oldest, as the mode says", () => {
  assert.deepEqual(orderOf("priority", true), [1, 2, 0]);
  assert.deepEqual(orderOf("priority", false), [2, 1, 0]);
  assert.deepEqual(orderOf("lifo", true), [2, 1, 0]);
  assert.deepEqual(orderOf("fifo", true), [0, 1, 2]);
});

test("wrong names and priorities are refused before anything is changed", () => {
  const [group] = localJob({ ranks: 1, workers: 1 });
  const vector = new Float32Array(4);
  const start = (options: object) => () => group!.allreduceStart(vector, vector, options);
  for (const name of ["", "x".repeat(65), 7]) assert.throws(start({ name }), /name must be a text/);
  for (const priority of [Number.NaN, Infinity, "1"]) {
    assert.throws(start({ priority }), /priority must be a finite number/);
  }
  group!.allreduceSync(vector, vector, { name: "x".repeat(64), priority: -1.5 });
});

test("statistics tell where the time of a request went", () => {
  const world = localJob({ ranks: 2, workers: 1 });
  const vectors = world.map((group) => group.allocate("float32", 100000));
  const requests = world.map((group, r) => group.allreducePersistent(vectors[r]!, vectors[r]!));
  for (let start = 0; start < 2; start++) {
    requests[1]!.start();
    requests[0]!.start().waitSync();
    requests[1]!.waitSync();
    for (const { statistics } of requests) {
      const { queuedMs, waitingMs, movingMs, reducingMs, exposedMs, hiddenMs } = statistics;
      const parts = queuedMs + waitingMs + movingMs + reducingMs;
      assert.ok(reducingMs > 0 && parts > 0, JSON.stringify(statistics));
      assert.ok(parts <= exposedMs + hiddenMs + 1, JSON.stringify(statistics));
    }
  }
});

test("a rank that has ended is named, what it has done its part for is not lost", () => {
  const world = localJob({ ranks: 3, workers: 1 });
  const words = new Int32Array(world[0]!.allocate("int32", 1).buffer);
  const barriers = world.map((group) => group.barrierStart());
  barriers[1]!.waitSync();
  words[STATUS_OFFSET / 4 + 1] = encodeStatus({ kind: "exited", code: 0 });
  barriers[0]!.waitSync();
  assert.throws(
    () => world[0]!.barrierSync(),
    (error: unknown) => {
      assert.ok(error instanceof RankLostError, String(error));
      assert.deepEqual(error.lost, [{ rank: 1, status: { kind: "exited", code: 0 } }]);
      return true;
    },
  );
  assert.throws(() => world[0]!.barrierSync(), GroupClosedError);
});

test("counts that do not fit each other are a mismatch on all ranks, before anything moves", () => {
  const world = localJob({ ranks: 2, workers: 2 });
  const recv = world.map(() => new Int32Array(5).fill(7));
  const requests = world.map((group, r) =>
    group.allgathervStart(Int32Array.of(1), recv[r]!, { counts: r === 0 ? [1, 1] : [1, 1] }),
  );
  completeAll(requests, new Random(SEED));
  const wrong = world.map((group, r) =>
    group.allgathervStart(r === 0 ? Int32Array.of(1, 2) : Int32Array.of(1), recv[r]!, {
      counts: r === 0 ? [2, 1] : [1, 1],
    }),
  );
  for (const request of wrong) {
    assert.throws(
      () => request.waitSync(),
      (error: unknown) =>
        error instanceof MismatchError && /0→1: 2 sent, 1 exp/.test(error.message),
    );
  }
  for (const own of recv) assert.deepEqual([...own], [1, 1, 7, 7, 7]);
});

test("buffers outside that do not fit at once wait for room; those that never fit are refused", () => {
  const world = localJob({ ranks: 2, workers: 1, arenaBytes: 32768 });
  const bytes = 32 * 32768;
  const vectors = world.map(() =>
    Array.from({ length: 6 }, () => new Uint8Array(bytes / 3).fill(1)),
  );
  const requests = world.map((group, r) => vectors[r]!.map((v) => group.allreduceStart(v, v)));
  completeAll(requests.flat(), new Random(SEED));
  assert.ok(vectors.flat().every((vector) => vector.every((value) => value === 2)));
  const large = new Uint8Array(2 * bytes);
  const start = () => world[0]!.alltoallStart(large, large);
  assert.throws(start, { code: "MLSL_SEGMENT_FULL" });
  completeAll(
    world.map((group) => group.barrierStart()),
    new Random(SEED),
  );
});

test("closed groups leave the arena as it was", async () => {
  const world = localJob({ ranks: 2, workers: 1 });
  const vectors = world.map(() => new Float32Array(10));
  const use = async (): Promise<void> => {
    const groups = await Promise.all(world.map((group) => group.split(0)));
    await Promise.all(groups.map((group, r) => group!.allreduce(vectors[r]!, vectors[r]!)));
    await Promise.all(groups.map((group) => group!.close()));
    await Promise.all(world.map((group) => group.split(-1)));
  };
  const room = (): number => {
    let count = 0;
    const arrays: Int8Array[] = [];
    try {
      for (; ; count++) arrays.push(world[0]!.allocate("int8", 65536));
    } catch {
      for (const array of arrays) world[0]!.free(array);
    }
    return count;
  };
  await use();
  const before = room();
  for (let i = 0; i < 50; i++) await use();
  assert.equal(room(), before);
});

test("vectors longer than the arena pass through it by pieces, and count as one operation", () => {
  const world = localJob({ ranks: 3, workers: 2, arenaBytes: 8192 });
  const count = 200001;
  const send = world.map((group) => new Int16Array(count).map((_, i) => i + group.rank));
  const recv = world.map(() => new Int32Array(count));
  // One rank has its vector where it is, the others copy theirs in.
  const inside = world[2]!.allocate("int32", 40000);
  const reduced = world.map((group, r) =>
    group.allreducePersistent(send[r]!, recv[r]!, { widen: true, op: "max", name: "v" }),
  );
  const short = world.map((group, r) => {
    const vector = r === 2 ? inside.fill(r) : new Int32Array(40000).fill(r);
    return group.reduceStart(vector, r === 1 ? vector : undefined, { root: 1 });
  });
  for (let start = 0; start < 2; start++) {
    for (const own of recv) own.fill(-1);
    completeAll(
      reduced.map((request) => request.start()),
      new Random(SEED),
    );
    for (const own of recv) {
      own.forEach((value, i) => {
        const values = send.map((vector) => vector[i]!);
        if (value !== Math.max(...values)) assert.fail(`element ${i} is ${value}`);
      });
    }
  }
  completeAll(short, new Random(SEED));
  assert.deepEqual(
    world.map(({ statistics }) => statistics.operations),
    [3, 3, 3],
  );
  assert.ok(reduced[0]!.statistics.reducingMs > 0);
});

test("another length of vectors in pieces is a mismatch that names the whole", () => {
  const world = localJob({ ranks: 2, workers: 1, arenaBytes: 4096 });
  const vectors = [new Float32Array(100000), new Float32Array(100001)] as const;
  const requests = world.map((group, r) => group.broadcastStart(vectors[r]!));
  for (const request of requests) {
    assert.throws(
      () => request.waitSync(),
      (error: unknown) => {
        assert.ok(error instanceof MismatchError);
        const texts = [100000, 100001].map((count) => `broadcast of ${count} float32 from rank 0`);
        assert.deepEqual(error.requested, texts);
        return true;
      },
    );
    assert.ok(request.done);
  }
});

const LATER = defineOperator<Int32Array>("later", (all, values) => {
  for (let i = 0; i < all.length; i++) all[i] = 10 * all[i]! + values[i]!;
});

test("operators of the user keep their order among all others, whatever the workers do", () => {
  const world = localJob({ ranks: 3, workers: 2 });
  const words = world.map(({ rank }) => Array.from({ length: 4 }, () => Int32Array.of(rank + 1)));
  const requests = world.flatMap((group, r) =>
    words[r]!.map((word, i) =>
      i % 2 === 0
        ? group.allreducePersistent(word, word, { op: LATER }).start()
        : group.allreduceStart(word, word),
    ),
  );
  completeAll(requests, new Random(SEED));
  for (const own of words)
    assert.deepEqual(
      own.flatMap((w) => [...w]),
      [123, 6, 123, 6],
    );
  const send = Int32Array.of(1);
  const last = world.map((group) => group.reduceStart(send, new Int32Array(1), { op: LATER }));
  completeAll(last, new Random(SEED + 1));
  assert.deepEqual(
    world.map(({ statistics }) => statistics.operations),
    [5, 5, 5],
  );
});

test("an operator of the user beside a built-in one is a mismatch on all ranks", () => {
  const world = localJob({ ranks: 2, workers: 1 });
  const word = new Int32Array(4);
  const requests = [
    world[0]!.allreduceStart(word, word, { op: LATER }),
    world[1]!.allreduceStart(word, word),
  ];
  for (const request of requests) {
    assert.throws(
      () => request.waitSync(),
      /rank 0 .*operator "later".*rank 1 asked for allreduce/,
    );
  }
  assert.throws(() => world[0]!.allreduceSync(word, word, { op: LATER }), GroupClosedError);
  const late = localJob({ ranks: 2, workers: 1 });
  assert.throws(
    () => late[0]!.allreduceSync(word, word, { op: LATER, timeoutMs: 60 }),
    /Timed out after 60 ms .*rank 1 has not taken part/,
  );
});
