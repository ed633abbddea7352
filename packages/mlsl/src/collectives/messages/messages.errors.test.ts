/** Messages that do not fit, do not come or come too late; and what works afterwards. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { MismatchError, RankLostError, TimeoutError } from "../../errors/communicationErrors.js";
import { SegmentFullError } from "../../errors/segmentFullError.js";
import { STATUS_OFFSET } from "../../memory/layout.js";
import { encodeStatus } from "../../memory/rankStatus.js";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob, localRanks } from "../../testing/localJob.js";
import type { LocalGroup } from "../groups/localGroup.js";
import { grouped } from "../requests/requests.js";

const MIB = 1048576;

function pairOf(options: { arenaBytes?: number; timeoutMs?: number } = {}): LocalGroup[] {
  return localJob({ ranks: 2, ...options });
}

/** One message each way, as a sign that all is well. */
async function assertWorks([a, b]: readonly LocalGroup[]): Promise<void> {
  for (const count of [1, 100000]) {
    const recvs = [new Float64Array(count), new Float64Array(count)];
    await Promise.all([
      a!.sendrecv(new Float64Array(count).fill(1), recvs[0]!, { to: 1, from: 1 }),
      b!.sendrecv(new Float64Array(count).fill(2), recvs[1]!, { to: 0, from: 0 }),
    ]);
    assert.ok(recvs[0]!.every((x) => x === 2) && recvs[1]!.every((x) => x === 1));
  }
}

test("another type or count is an error on both sides, and later messages work", async () => {
  const world = pairOf();
  const [a, b] = world as [LocalGroup, LocalGroup];
  for (const inside of [false, true]) {
    const send = inside ? a.allocate("float32", 20000) : new Float32Array(20000);
    for (const recv of [new Float32Array(19999), new Int32Array(20000)]) {
      const kind = recv instanceof Int32Array ? "int32" : "float32";
      const outcomes = await Promise.allSettled([
        a.send(send, { to: 1 }),
        b.recv(recv, { from: 0 }),
      ]);
      const [sending, receiving] = outcomes.map((o) => (o as PromiseRejectedResult).reason);
      assert.ok(sending instanceof MismatchError, String(sending));
      assert.ok(receiving instanceof MismatchError, String(receiving));
      assert.match(
        sending.message,
        new RegExp(
          `send of 20000 float32 to rank 1, tag 0.*rank 1 expected ${recv.length} ${kind}`,
        ),
      );
      assert.match(receiving.message, /recv of .* from rank 0, tag 0.*rank 0 sent 20000 float32/);
      assert.ok(recv.every((x) => x === 0));
    }
    await assertWorks(world);
  }
});

test("a short message that does not fit is an error of its receiver", async () => {
  const world = pairOf();
  await world[0]!.send(Float32Array.of(1, 2), { to: 1 });
  await assert.rejects(world[1]!.recv(new Float32Array(1), { from: 0 }), (error: unknown) => {
    assert.ok(error instanceof MismatchError);
    assert.equal(error.code, "MLSL_MISMATCH");
    assert.match(error.message, /operation 1 \(recv of 1 float32 .*rank 0 sent 2 float32/);
    return true;
  });
  await assertWorks(world);
});

test("a receive that timed out gets nothing any more", async () => {
  const world = pairOf();
  const [a, b] = world as [LocalGroup, LocalGroup];
  const late = new Float32Array(1);
  await assert.rejects(b.recv(late, { from: 0, timeoutMs: 20 }), (error: unknown) => {
    assert.ok(error instanceof TimeoutError);
    assert.deepEqual(error.missing, [0]);
    assert.match(error.message, /Timed out after 20 ms at rank 1.*recv of 1 float32 from rank 0/);
    return true;
  });
  assert.throws(() => b.recvSync(late, { from: 0, timeoutMs: 20 }), TimeoutError);
  await a.send(Float32Array.of(5), { to: 1 });
  const next = new Float32Array(1);
  await b.recv(next, { from: 0 });
  assert.deepEqual([late[0], next[0]], [0, 5]);
});

test("a send that timed out is not received, before or after others of its tag", async () => {
  for (const inside of [false, true]) {
    const world = pairOf();
    const [a, b] = world as [LocalGroup, LocalGroup];
    // Its own place and one more do not fit, so it cannot be set aside.
    const send = inside ? a.allocate("uint8", 600000) : new Uint8Array(900000);
    for (const tag of [0, 7]) {
      await assert.rejects(a.send(send, { to: 1, tag, timeoutMs: 30 }), TimeoutError);
      assert.throws(() => a.sendSync(send, { to: 1, tag, timeoutMs: 30 }), TimeoutError);
    }
    await a.send(Uint8Array.of(5), { to: 1 });
    const recv = new Uint8Array(1);
    await b.recv(recv, { from: 0 });
    assert.equal(recv[0], 5);
    const waiting = b.recvStart(recv, { from: 0, tag: 7 });
    assert.equal(waiting.test(), false);
    await a.send(Uint8Array.of(6), { to: 1, tag: 7 });
    await waiting.wait();
    assert.equal(recv[0], 6);
    await assertWorks(world);
  }
});

test("whoever waits for the other amid a message gives up in time, and so does the other", async () => {
  const world = pairOf();
  const [a, b] = world as [LocalGroup, LocalGroup];
  const bytes = 900000;
  // The receiver takes what is there, then nobody moves the sender on.
  const send = a.sendStart(new Uint8Array(bytes), { to: 1, timeoutMs: 40 });
  const recv = b.recvStart(new Uint8Array(bytes), { from: 0, timeoutMs: 60 });
  send.test();
  assert.throws(() => recv.waitSync(), TimeoutError);
  await assert.rejects(send.wait(), TimeoutError);
  await assertWorks(world);

  const slow = b.recvStart(new Uint8Array(bytes), { from: 0 });
  const stuck = a.sendStart(new Uint8Array(bytes), { to: 1, timeoutMs: 40 });
  slow.test();
  stuck.test();
  await assert.rejects(stuck.wait(), TimeoutError);
  assert.throws(() => slow.test(), TimeoutError);
  await assertWorks(world);
});

test("a send that nobody asks for is set aside, if there is memory", async () => {
  const world = pairOf();
  const [a, b] = world as [LocalGroup, LocalGroup];
  const send = a.allocate("uint8", 200000);
  for (const buffer of [send, new Uint8Array(200000)]) {
    buffer.fill(3);
    await a.send(buffer, { to: 1 });
    buffer.fill(9);
    const recv = new Uint8Array(200000);
    await b.recv(recv, { from: 0 });
    assert.ok(recv.every((x) => x === 3));
  }
  await assertWorks(world);
});

test("setting aside and receiving at the same time: the message arrives once", () => {
  const world = pairOf();
  const [a, b] = world as [LocalGroup, LocalGroup];
  const random = new Random(1);
  for (let round = 0; round < 40; round++) {
    const recv = new Uint8Array(100000);
    const send = a.sendStart(new Uint8Array(100000).fill(round + 1), { to: 1 });
    // Around the ten milliseconds after which it is set aside.
    const endMs = performance.now() + 9 + 2 * random.next();
    while (performance.now() < endMs) if (random.below(100) === 0) send.test();
    completeAll([b.recvStart(recv, { from: 0 }), send], random);
    assert.ok(recv.every((x) => x === round + 1));
  }
  assert.equal(b.statistics.operations, 40);
});

test("NCC-7 both send 64 MiB and then receive: set aside where there is memory", async () => {
  const world = pairOf({ arenaBytes: 80 * MIB, timeoutMs: 20000 });
  await Promise.all(
    world.map(async (group, r) => {
      const send = new Uint8Array(64 * MIB).fill(r + 1);
      const recv = new Uint8Array(64 * MIB);
      await group.send(send, { to: 1 - r });
      send.fill(9);
      await group.recv(recv, { from: 1 - r });
      assert.equal(Buffer.compare(recv, Buffer.alloc(64 * MIB, 2 - r)), 0);
    }),
  );
});

test("NCC-7 without memory both time out and say who waits for whom", async () => {
  const world = pairOf({ arenaBytes: 8 * MIB });
  const outcomes = await Promise.allSettled(
    world.map((group, r) => group.send(new Uint8Array(64 * MIB), { to: 1 - r, timeoutMs: 100 })),
  );
  outcomes.forEach((outcome, r) => {
    const error = (outcome as PromiseRejectedResult).reason;
    assert.ok(error instanceof TimeoutError, String(error));
    assert.deepEqual(error.missing, [1 - r]);
    const what = `at rank ${r}, .*send of 67108864 uint8 to rank ${1 - r}, .*rank ${1 - r} has not`;
    assert.match(error.message, new RegExp(what));
  });
  await assertWorks(world);
});

test("NCC-7 in a group of requests it works without memory", async () => {
  const world = pairOf({ arenaBytes: 8 * MIB, timeoutMs: 20000 });
  const recvs = world.map(() => new Uint8Array(64 * MIB));
  await Promise.all(
    world.map((group, r) =>
      grouped(() => {
        group.sendStart(new Uint8Array(64 * MIB).fill(r + 1), { to: 1 - r });
        group.recvStart(recvs[r]!, { from: 1 - r });
      }).wait(),
    ),
  );
  recvs.forEach((recv, r) => {
    assert.equal(Buffer.compare(recv, Buffer.alloc(64 * MIB, 2 - r)), 0);
  });
});

test("GLO-1 a rank that has ended is named to those who send to it or receive from it", async () => {
  const ranks = localRanks({ ranks: 3 });
  const [a, b] = ranks.map(({ world }) => world) as [LocalGroup, LocalGroup];
  await b.send(Int32Array.of(42), { to: 0, tag: 1 });
  const { words } = ranks[0]!.segment;
  words[STATUS_OFFSET / 4 + 1] = encodeStatus({ kind: "exited", code: 3 });
  const isLost = (error: unknown): boolean => {
    assert.ok(error instanceof RankLostError, String(error));
    assert.deepEqual(error.lost, [{ rank: 1, status: { kind: "exited", code: 3 } }]);
    assert.match(error.message, /rank 1 has exited with code 3/);
    return true;
  };
  const long = new Uint8Array(900000);
  await assert.rejects(a.recv(new Int32Array(1), { from: 1 }), isLost);
  assert.throws(() => a.recvSync(new Int32Array(1), { from: 1 }), isLost);
  await assert.rejects(a.send(long, { to: 1 }), isLost);
  assert.throws(() => a.sendSync(Int32Array.of(1), { to: 1 }), isLost);
  await assert.rejects(a.sendrecv(long, new Int32Array(1), { to: 1, from: 1 }), isLost);
  const late = ranks[2]!.world.sendStart(long, { to: 0 });
  words[STATUS_OFFSET / 4] = encodeStatus({ kind: "signalled", signal: 9 });
  // Long after it would have been set aside.
  await new Promise((resolve) => setTimeout(resolve, 20));
  await assert.rejects(late.wait(), /rank 0 was ended by signal 9/);
  words[STATUS_OFFSET / 4] = encodeStatus({ kind: "running" });
  const polled = a.recvStart(new Int32Array(1), { from: 1 });
  assert.throws(() => polled.test(), isLost);
  // What it had sent before is there; others are not concerned.
  const recv = new Int32Array(1);
  await a.recv(recv, { from: 1, tag: 1 });
  assert.equal(recv[0], 42);
  const other = new Int32Array(1);
  await ranks[2]!.world.send(Int32Array.of(7), { to: 0 });
  await a.recv(other, { from: 2 });
  assert.equal(other[0], 7);
});

test("a message that finds no memory is not sent, and can be sent again", () => {
  const [a, b] = pairOf() as [LocalGroup, LocalGroup];
  const filler = a.allocate("uint8", 720000);
  const request = a.sendPersistent(new Uint8Array(60000).fill(1), { to: 1 });
  let sent = 0;
  assert.throws(() => {
    for (;;) {
      request.start().waitSync();
      sent++;
    }
  }, SegmentFullError);
  a.free(filler);
  request.start().waitSync();
  const recv = new Uint8Array(60000);
  for (let i = 0; i <= sent; i++) b.recvSync(recv, { from: 0 });
  assert.throws(() => b.recvSync(recv, { from: 0, timeoutMs: 1 }), TimeoutError);
});

test("wrong arguments are refused before anything is sent", () => {
  const [a] = pairOf() as [LocalGroup];
  const f4 = new Float32Array(4);
  const wrong: [() => void, RegExp][] = [
    [() => a.sendSync(f4, { to: 2 }), /Cannot send: to must be a rank from 0 to 1, got 2/],
    [() => a.recvSync(f4, { from: -1 }), /Cannot recv: from must be a rank from 0 to 1, got -1/],
    [() => a.sendSync(f4, { to: 1, tag: -1 }), /tag must be a whole number from 0 to 2147483647/],
    [() => a.recvSync(f4, { from: 1, tag: 2147483648 }), /tag must be a whole number/],
    [() => a.sendSync(undefined as unknown as Float32Array, { to: 1 }), /buffer is needed/],
    [() => a.recvSync([1] as unknown as Float32Array, { from: 1 }), /expected one of Int8Array/],
    [() => a.sendrecvSync(f4, f4, { to: 1, from: 1 }), /Cannot sendrecv in place/],
  ];
  for (const [call, message] of wrong) assert.throws(call, message);
  assert.equal(a.statistics.operations, 0);
});
