/** Requests in all their forms, on the ranks of a local job. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MismatchError, TimeoutError } from "../../errors/communicationErrors.js";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob } from "../../testing/localJob.js";
import type { LocalGroup } from "../groups/localGroup.js";
import {
  grouped,
  type PersistentRequest,
  type Request,
  waitAll,
  waitAllSync,
  waitAny,
  waitAnySync,
} from "./requests.js";

const SEED = 20261201;

interface Persistent {
  readonly request: PersistentRequest;
  /** What it reads; absent where it reads nothing. */
  readonly send?: Float64Array;
  readonly recv?: Float64Array;
}

/** A persistent request of every kind, on three ranks: blocks of two elements. */
const KINDS: Record<string, (g: LocalGroup) => Persistent> = {
  allreduce(g) {
    const [send, recv] = [new Float64Array(2), new Float64Array(2)];
    return { send, recv, request: g.allreducePersistent(send, recv) };
  },
  reduce(g) {
    const [send, recv] = [new Float64Array(2), new Float64Array(2)];
    return { send, recv, request: g.reducePersistent(send, recv, { root: 1 }) };
  },
  reduceScatter(g) {
    const [send, recv] = [new Float64Array(6), new Float64Array(2)];
    return { send, recv, request: g.reduceScatterPersistent(send, recv) };
  },
  reduceScatterv(g) {
    const [send, recv] = [new Float64Array(6), new Float64Array(2)];
    return { send, recv, request: g.reduceScattervPersistent(send, recv, { counts: [2, 2, 2] }) };
  },
  broadcast(g) {
    const send = new Float64Array(2);
    return { send, recv: send, request: g.broadcastPersistent(send, { root: 1 }) };
  },
  allgather(g) {
    const [send, recv] = [new Float64Array(2), new Float64Array(6)];
    return { send, recv, request: g.allgatherPersistent(send, recv) };
  },
  allgatherv(g) {
    const [send, recv] = [new Float64Array(2), new Float64Array(6)];
    return { send, recv, request: g.allgathervPersistent(send, recv, { counts: [2, 2, 2] }) };
  },
  gather(g) {
    const [send, recv] = [new Float64Array(2), new Float64Array(6)];
    return { send, recv, request: g.gatherPersistent(send, recv, { root: 1 }) };
  },
  gatherv(g) {
    const [send, recv] = [new Float64Array(2), new Float64Array(6)];
    const options = { root: 1, counts: [2, 2, 2] };
    return { send, recv, request: g.gathervPersistent(send, recv, options) };
  },
  scatter(g) {
    const [send, recv] = [new Float64Array(6), new Float64Array(2)];
    return { send, recv, request: g.scatterPersistent(send, recv, { root: 1 }) };
  },
  scatterv(g) {
    const [send, recv] = [new Float64Array(6), new Float64Array(2)];
    const options = { root: 1, counts: [2, 2, 2] };
    return { send, recv, request: g.scattervPersistent(send, recv, options) };
  },
  alltoall(g) {
    const [send, recv] = [new Float64Array(6), new Float64Array(6)];
    return { send, recv, request: g.alltoallPersistent(send, recv) };
  },
  alltoallv(g) {
    const [send, recv] = [new Float64Array(6), new Float64Array(6)];
    const options = { sendCounts: [2, 2, 2], recvCounts: [2, 2, 2] };
    return { send, recv, request: g.alltoallvPersistent(send, recv, options) };
  },
  barrier(g) {
    return { request: g.barrierPersistent() };
  },
  message(g) {
    // Round the ring by two requests, of which the receive is looked at.
    const [send, recv] = [new Float64Array(2), new Float64Array(2)];
    const sending = g.sendPersistent(send, { to: (g.rank + 1) % 3, tag: 1 });
    const receiving = g.recvPersistent(recv, { from: (g.rank + 2) % 3, tag: 1 });
    const start = receiving.start.bind(receiving);
    receiving.start = () => {
      sending.start();
      return start();
    };
    return { send, recv, request: receiving };
  },
  sendrecv(g) {
    const [send, recv] = [new Float64Array(2), new Float64Array(2)];
    const options = { to: (g.rank + 1) % 3, from: (g.rank + 2) % 3 };
    return { send, recv, request: g.sendrecvPersistent(send, recv, options) };
  },
};

/** What rank r sends in a step: all elements are equal. */
function sent(rank: number, step: number): number {
  return 100 * step + rank;
}

function expectedOf(kind: string, rank: number, step: number): number[] {
  const sum = sent(0, step) + sent(1, step) + sent(2, step);
  const all = [0, 0, 1, 1, 2, 2].map((r) => sent(r, step));
  switch (kind) {
    case "allreduce":
    case "reduceScatter":
    case "reduceScatterv":
      return [sum, sum];
    case "reduce":
      return rank === 1 ? [sum, sum] : [0, 0];
    case "allgather":
    case "allgatherv":
    case "alltoall":
    case "alltoallv":
      return all;
    case "gather":
    case "gatherv":
      return rank === 1 ? all : [0, 0, 0, 0, 0, 0];
    case "message":
    case "sendrecv":
      return [sent((rank + 2) % 3, step), sent((rank + 2) % 3, step)];
    default:
      return [sent(1, step), sent(1, step)];
  }
}

for (const [kind, build] of Object.entries(KINDS)) {
  test(`a persistent request is started again and again, with new data: ${kind}`, () => {
    const random = new Random(SEED);
    const built = localJob({ ranks: 3 }).map(build);
    for (const { request } of built) {
      assert.equal(request.done, false);
      assert.throws(() => request.waitSync(), /was not started: call start\(\) first/);
      assert.throws(() => request.test(), TypeError);
    }
    for (let step = 1; step <= 20; step++) {
      built.forEach(({ send }, r) => void send?.fill(sent(r, step)));
      completeAll(
        built.map(({ request }) => request.start()),
        random,
      );
      built.forEach(({ recv, request }, r) => {
        assert.ok(request.done);
        if (recv !== undefined) assert.deepEqual([...recv], expectedOf(kind, r, step));
      });
    }
    for (const { request } of built) {
      request.free();
      assert.throws(() => request.start(), /Cannot start a request: it was freed/);
    }
  });
}

test("a persistent request under way can neither be started nor freed", async () => {
  const world = localJob({ ranks: 2 });
  const request = world[0]!.barrierPersistent();
  await assert.rejects(request.wait(), /Cannot wait for a request that was not started/);
  request.start();
  assert.throws(() => request.start(), /its last start has not completed; wait for it/);
  assert.throws(() => request.free(), /Cannot free a request that has not completed/);
  await Promise.all([request.wait(), world[1]!.barrier()]);
  request.free();
});

test("a persistent request that failed says so, and why it cannot be started again", () => {
  const world = localJob({ ranks: 2 });
  const request = world[0]!.barrierPersistent({ timeoutMs: 5 });
  assert.throws(() => request.start().waitSync(), TimeoutError);
  assert.ok(request.done);
  assert.throws(() => request.waitSync(), TimeoutError);
  assert.throws(() => request.start(), /was closed by an earlier failure/);
});

test("waitAll: the first failure in the order of requests, once all have settled", async () => {
  for (const wait of [waitAll, async (all: Request[]) => waitAllSync(all)]) {
    const [a, b] = localJob({ ranks: 2, timeoutMs: 20000 }) as [LocalGroup, LocalGroup];
    await b.send(Int32Array.of(1), { to: 0, tag: 1 });
    await b.send(Int32Array.of(1, 2), { to: 0, tag: 2 });
    await b.send(Int32Array.of(7), { to: 0, tag: 4 });
    const last = new Int32Array(1);
    const requests = [
      a.recvStart(new Int32Array(1), { from: 1, tag: 1 }),
      a.recvStart(new Int32Array(1), { from: 1, tag: 3, timeoutMs: 50 }),
      a.recvStart(new Int32Array(1), { from: 1, tag: 2 }),
      a.recvStart(last, { from: 1, tag: 4 }),
    ];
    await assert.rejects(wait(requests), TimeoutError);
    assert.ok(requests.every(({ done }) => done));
    assert.equal(last[0], 7);
    await assert.rejects(wait(requests.slice(2)), MismatchError);
    await wait(requests.slice(3));
    await wait([]);
  }
});

test("waitAny: the index of one that has completed, the others stay under way", async () => {
  const [a, b] = localJob({ ranks: 2 }) as [LocalGroup, LocalGroup];
  const recv = (tag: number) => a.recvStart(new Int32Array(1), { from: 1, tag });
  const persistent = a.recvPersistent(new Int32Array(1), { from: 1, tag: 2 }).start();
  const requests = [recv(0), recv(1), persistent, a.barrierStart()];
  const any = waitAny(requests);
  await b.send(Int32Array.of(1), { to: 0, tag: 2 });
  assert.equal(await any, 2);
  assert.deepEqual(
    requests.map(({ done }) => done),
    [false, false, true, false],
  );
  const [first, second, , barrier] = requests as [Request, Request, Request, Request];
  await b.send(Int32Array.of(1), { to: 0, tag: 1 });
  assert.equal(waitAnySync([first, second]), 1);
  assert.equal(waitAnySync([first, second]), 1);
  const arriving = b.barrierStart();
  arriving.test();
  assert.equal(waitAnySync([first, barrier]), 1);
  arriving.waitSync();
  await b.send(Int32Array.of(1, 2), { to: 0, tag: 0 });
  await assert.rejects(waitAny([first]), MismatchError);
  assert.throws(() => waitAnySync([first]), MismatchError);
});

test("waitAny: of none, of several as one, and of what was not started", async () => {
  const [group] = localJob({ ranks: 1 });
  await assert.rejects(waitAny([]), /Cannot wait for any of no requests/);
  assert.throws(() => waitAnySync([]), RangeError);
  assert.throws(() => waitAnySync([grouped(() => {})]), /requests of single operations/);
  assert.throws(() => waitAnySync([group!.barrierPersistent()]), /was not started/);
});

test("waitAny: a deadline counts for each request", async () => {
  for (const wait of [waitAny, async (all: Request[]) => waitAnySync(all)]) {
    const [a] = localJob({ ranks: 2 }) as [LocalGroup];
    const patient = a.recvStart(new Int32Array(1), { from: 1, timeoutMs: 20000 });
    const hasty = a.recvStart(new Int32Array(1), { from: 1, tag: 1, timeoutMs: 30 });
    await assert.rejects(wait([patient, hasty]), TimeoutError);
    assert.deepEqual([patient.done, hasty.done], [false, true]);
  }
});

test("grouped: everything started in it, also by groups within, is one request", () => {
  const world = localJob({ ranks: 2 });
  const recvs = world.map(() => new Int32Array(3));
  const requests = world.map((group, r) => {
    const sums = recvs[r]!;
    const persistent = group.allreducePersistent(Int32Array.of(r + 1), sums.subarray(0, 1));
    return grouped(() => {
      const inner = grouped(() => {
        group.recvStart(sums.subarray(1, 2), { from: 1 - r });
        group.sendStart(Int32Array.of(10 + r), { to: 1 - r });
      });
      // Rank 1 finds the message of rank 0.
      assert.equal(inner.done, r === 1);
      persistent.start();
      group.allreduceStart(Int32Array.of(r), sums.subarray(2, 3), { op: "max" });
    });
  });
  assert.ok(requests.every(({ done }) => !done));
  completeAll(requests, new Random(SEED));
  assert.deepEqual(
    recvs.map((recv) => [...recv]),
    [
      [3, 11, 1],
      [3, 10, 1],
    ],
  );
});

test("grouped: several groups in opposite orders on different ranks", async () => {
  const world = localJob({ ranks: 2 });
  const others = await Promise.all(world.map((group) => group.split(0)));
  const sums = world.map(() => [new Float32Array(50000), new Float32Array(50000)]);
  await Promise.all(
    world.map((group, r) => {
      const starts = [group, others[r]!].map((g, i) => () => {
        g.allreduceStart(new Float32Array(50000).fill(i + 1), sums[r]![i]!);
      });
      if (r === 1) starts.reverse();
      return grouped(() => {
        for (const start of starts) start();
      }).wait();
    }),
  );
  for (const [first, second] of sums) {
    assert.ok(first!.every((x) => x === 2) && second!.every((x) => x === 4));
  }
});

test("grouped: nothing in it, and a failure while starting", async () => {
  const world = localJob({ ranks: 2 });
  const nothing = grouped(() => {});
  assert.ok(nothing.done && nothing.test());
  await nothing.wait();
  nothing.waitSync();
  assert.throws(
    () =>
      grouped(() => {
        world[0]!.barrierStart();
        world[0]!.sendStart(new Float32Array(1), { to: 9 });
      }),
    RangeError,
  );
  // What had started is under way, and nothing is collected any more.
  const after = world[0]!.barrierStart();
  const both = grouped(() => {
    world[1]!.barrierStart();
    world[1]!.barrierStart();
  });
  completeAll([after, both], new Random(SEED));
});

test("grouped: a failure is thrown when nothing is under way any more", async () => {
  const [a, b] = localJob({ ranks: 2 }) as [LocalGroup, LocalGroup];
  await b.send(Int32Array.of(1, 2), { to: 0 });
  const request = grouped(() => {
    a.recvStart(new Int32Array(1), { from: 1 });
    a.recvStart(new Int32Array(1), { from: 1, tag: 1 });
  });
  assert.equal(request.test(), false);
  assert.equal(request.test(), false);
  await b.send(Int32Array.of(3), { to: 0, tag: 1 });
  assert.throws(() => request.test(), MismatchError);
  assert.ok(request.done);
  assert.throws(() => request.waitSync(), MismatchError);
  await assert.rejects(request.wait(), MismatchError);
});

test("a buffer in use is named where it is used again, and cannot be freed", () => {
  const [a, b] = localJob({ ranks: 2 }) as [LocalGroup, LocalGroup];
  const array = a.allocate("float32", 100);
  const request = a.allreduceStart(array, array);
  const inUse =
    /Cannot start (allreduce|broadcast|send|recv).*: a buffer is in use by an operation/;
  const wrong = [
    () => a.allreduceStart(array.subarray(99), new Float32Array(1)),
    () => a.broadcastStart(array.subarray(0, 1)),
    () => a.sendStart(array, { to: 1 }),
    () => a.recvStart(array, { from: 1 }),
    () => a.sendrecvStart(new Float32Array(1), array, { to: 1, from: 1 }),
    () => a.allreducePersistent(array, array).start(),
  ];
  for (const start of wrong) assert.throws(start, inUse);
  assert.throws(() => a.free(array), /Cannot free an array: a buffer is in use/);
  completeAll(
    [request, b.allreduceStart(new Float32Array(100), new Float32Array(100))],
    new Random(1),
  );
  a.free(array);
});

test("a buffer that is only read may be read by several operations at once", () => {
  const [a, b] = localJob({ ranks: 2 }) as [LocalGroup, LocalGroup];
  const data = new Float32Array(30000).fill(1);
  const sums = [new Float32Array(30000), new Float32Array(30000)];
  const requests = [a, b].flatMap((group, r) => [
    group.allreduceStart(data, new Float32Array(30000)),
    group.allreduceStart(data, sums[r]!),
    group.sendStart(data, { to: 1 - r }),
    group.recvStart(new Float32Array(30000), { from: 1 - r }),
  ]);
  assert.throws(() => a.recvStart(data, { from: 1 }), /buffer is in use/);
  completeAll(requests, new Random(SEED));
  assert.ok(sums.every((sum) => sum.every((x) => x === 2)));
});

test("promises that wait together all resolve, each when its operation has completed", async () => {
  const world = localJob({ ranks: 3 });
  const done: string[] = [];
  await Promise.all(
    world.flatMap((group) =>
      Array.from({ length: 20 }, async (_, i) => {
        await group.barrier();
        done.push(`${group.rank}:${i}`);
      }),
    ),
  );
  assert.equal(new Set(done).size, 60);
  for (const rank of [0, 1, 2]) {
    const order = done.filter((text) => text.startsWith(`${rank}:`));
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, i) => `${rank}:${i}`),
    );
  }
});

test("a promise that waits for long still sees its peers come", async () => {
  const world = localJob({ ranks: 2, timeoutMs: 20000 });
  const early = world[0]!.barrier();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await Promise.all([early, world[1]!.barrier()]);
});
