/** Messages between the ranks of a local job: all types and sizes, orders, tags and memory. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { DATA_TYPES, type DataType, type ElementArray, viewOf } from "../../memory/dataTypes.js";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob, localRanks } from "../../testing/localJob.js";
import type { LocalGroup } from "../groups/localGroup.js";
import { grouped, type Request } from "../requests/requests.js";

const SEED = 20261201;

/** Bytes around every border: nothing, the envelope (64), the copy (65536), chunks (65536 here). */
const BYTES = [0, 8, 56, 64, 72, 4096, 65528, 65536, 65544, 131072, 131080, 400000];

function bytesOf(array: ElementArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function fill(array: ElementArray, seed: number): void {
  const bytes = bytesOf(array);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 7 + seed * 31) % 253;
}

function assertFilled(array: ElementArray, seed: number, what: string): void {
  const bytes = bytesOf(array);
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== (i * 7 + seed * 31) % 253) assert.fail(`${what}: byte ${i} is ${bytes[i]}`);
  }
}

function makeArray(
  group: LocalGroup,
  { name, byteLength }: { name: DataType; byteLength: number },
  { bytes, inside }: { bytes: number; inside: boolean },
): ElementArray {
  const count = bytes / byteLength;
  return inside ? group.allocate(name, count) : viewOf(name, new ArrayBuffer(bytes + 8), 8, count);
}

function release(group: LocalGroup, array: ElementArray): void {
  if (array.buffer instanceof SharedArrayBuffer) group.free(array);
}

test("a message of every type and size arrives as it was, inside or outside the segment", () => {
  const random = new Random(SEED);
  const world = localJob({ ranks: 2 });
  for (const type of DATA_TYPES) {
    for (const bytes of BYTES) {
      for (const [sendInside, recvInside] of [
        [false, false],
        [false, true],
        [true, false],
        [true, true],
      ] as const) {
        const send = makeArray(world[0]!, type, { bytes, inside: sendInside });
        const recv = makeArray(world[1]!, type, { bytes, inside: recvInside });
        fill(send, bytes);
        const start = [
          () => world[0]!.sendStart(send, { to: 1 }),
          () => world[1]!.recvStart(recv, { from: 0 }),
        ];
        if (random.below(2) === 0) start.reverse();
        completeAll(
          start.map((begin) => begin()),
          random,
        );
        assertFilled(recv, bytes, `${bytes} bytes of ${type.name}, ${sendInside}, ${recvInside}`);
        release(world[0]!, send);
        release(world[1]!, recv);
      }
    }
  }
});

test("messages up to 64 KiB are sent at once, longer ones when they are taken", () => {
  const world = localJob({ ranks: 2 });
  const short = new Uint8Array(65536).fill(1);
  assert.equal(world[0]!.sendStart(short, { to: 1 }).done, true);
  short.fill(9);
  const long = new Uint8Array(65537).fill(2);
  const request = world[0]!.sendStart(long, { to: 1 });
  assert.equal(request.test(), false);
  const recv = new Uint8Array(65536);
  completeAll([world[1]!.recvStart(recv, { from: 0 })], new Random(1));
  assert.ok(recv.every((x) => x === 1));
  const rest = new Uint8Array(65537);
  completeAll([request, world[1]!.recvStart(rest, { from: 0 })], new Random(1));
  assert.ok(rest.every((x) => x === 2));
});

test("messages of a tag arrive in their order, those of another when they are asked for", () => {
  const world = localJob({ ranks: 2 });
  for (let i = 0; i < 100; i++) {
    world[0]!.sendSync(Int32Array.of(i), { to: 1, tag: 5 });
  }
  world[0]!.sendSync(Int32Array.of(-1), { to: 1, tag: 2147483647 });
  const recv = new Int32Array(1);
  world[1]!.recvSync(recv, { from: 0, tag: 2147483647 });
  assert.equal(recv[0], -1);
  for (let i = 0; i < 100; i++) {
    world[1]!.recvSync(recv, { from: 0, tag: 5 });
    assert.equal(recv[0], i);
  }
});

test("1,000 messages under way at once arrive, whatever the order of receives", () => {
  const random = new Random(SEED);
  const world = localJob({ ranks: 3, arenaBytes: 4194304 });
  const requests: Request[] = [];
  const arrays = Array.from({ length: 1000 }, () => new Int32Array(16));
  const starts = arrays.flatMap((recv, i) => [
    () => world[i % 2]!.sendStart(new Int32Array(16).fill(i), { to: 2, tag: i }),
    () => world[2]!.recvStart(recv, { from: i % 2, tag: i }),
  ]);
  while (starts.length > 0) {
    const i = random.below(starts.length);
    requests.push(starts[i]!());
    starts.splice(i, 1);
  }
  completeAll(requests, random);
  arrays.forEach((array, i) => void assert.ok(array.every((x) => x === i)));
});

test("a receive that is completed by the start of another one is over at once", async () => {
  const world = localJob({ ranks: 2 });
  const [a, b] = (await Promise.all(world.map((g) => g.split(0)))) as [LocalGroup, LocalGroup];
  const first = b.recvStart(new Int32Array(1), { from: 0 });
  a.sendSync(Int32Array.of(1), { to: 1 });
  a.sendSync(Int32Array.of(2), { to: 1 });
  const second = b.recvStart(new Int32Array(1), { from: 0 });
  assert.ok(first.done && second.done);
  assert.equal(b.statistics.operations, 2);
  await Promise.all([a.close(), b.close()]);
});

test("a rank sends to itself, in one chunk or many", async () => {
  const [group] = localJob({ ranks: 1 });
  for (const count of [0, 1, 20000, 300000]) {
    const send = Int32Array.from({ length: count }, (_, i) => i);
    const recv = new Int32Array(count);
    group!.sendrecvSync(send, recv, { to: 0, from: 0 });
    assert.deepEqual(recv, send);
    recv.fill(0);
    await group!.sendrecv(send, recv, { to: 0, from: 0, sendTag: 3, recvTag: 3 });
    assert.deepEqual(recv, send);
  }
});

test("sendrecv goes round rings of 1 to 9 ranks, however long the messages are", () => {
  const random = new Random(SEED);
  for (let ranks = 1; ranks <= 9; ranks++) {
    const world = localJob({ ranks });
    for (const count of [0, 1, 10000, 100000]) {
      const recvs = world.map(() => new Float64Array(count));
      const requests = world.map((group, r) => {
        const to = (r + 1) % ranks;
        const from = (r + ranks - 1) % ranks;
        return group.sendrecvStart(new Float64Array(count).fill(r), recvs[r]!, { to, from });
      });
      completeAll(requests, random);
      recvs.forEach((recv, r) => {
        assert.ok(
          recv.every((x) => x === (r + ranks - 1) % ranks),
          `rank ${r} of ${ranks}`,
        );
      });
    }
  }
});

test("memory of messages is given back, whatever became of them", async () => {
  const random = new Random(SEED);
  const ranks = localRanks({ ranks: 2, timeoutMs: 5 });
  const [a, b] = ranks.map(({ world }) => world) as [LocalGroup, LocalGroup];
  const exchange = (bytes: number) => {
    const send = a.sendStart(new Uint8Array(bytes), { to: 1 });
    completeAll([send, b.recvStart(new Uint8Array(bytes), { from: 0 })], random);
  };
  exchange(1);
  exchange(1);
  const before = ranks.map(({ segment }) => segment.availableBytes);
  for (let round = 0; round < 300; round++) exchange(random.pick(BYTES));
  // Withdrawn, refused, and set aside: the receiver sees each before the next arrives.
  await assert.rejects(a.send(new Uint8Array(900000), { to: 1 }), /Timed out/);
  const refused = a.sendStart(new Uint8Array(70000), { to: 1 });
  await assert.rejects(b.recv(new Uint8Array(3), { from: 0 }), /Mismatch/);
  await assert.rejects(refused.wait(), /Mismatch/);
  await a.send(new Uint8Array(100000), { to: 1, timeoutMs: 1000 });
  await b.recv(new Uint8Array(100000), { from: 0 });
  exchange(1);
  exchange(1);
  assert.deepEqual(
    ranks.map(({ segment }) => segment.availableBytes),
    before,
  );
});

test("HVD-10 20,000 messages, with tags old and new, leave the memory as it was", () => {
  const ranks = localRanks({ ranks: 2 });
  const [a, b] = ranks.map(({ world }) => world) as [LocalGroup, LocalGroup];
  const send = new Float32Array(100);
  const recv = new Float32Array(100);
  let available: number[] = [];
  for (let i = 0; i < 20000; i++) {
    const tag = i < 10000 ? i % 50 : i;
    a.sendSync(send, { to: 1, tag });
    b.recvSync(recv, { from: 0, tag });
    b.sendSync(send, { to: 0, tag });
    a.recvSync(recv, { from: 1, tag });
    if (i === 100) available = ranks.map(({ segment }) => segment.availableBytes);
  }
  assert.deepEqual(
    ranks.map(({ segment }) => segment.availableBytes),
    available,
  );
});

test("memory of messages that were taken serves whoever needs it next", () => {
  const [a, b] = localJob({ ranks: 2 }) as [LocalGroup, LocalGroup];
  const text = new Uint8Array(65536);
  for (let i = 0; i < 10; i++) a.sendSync(text, { to: 1 });
  for (let i = 0; i < 10; i++) b.recvSync(text, { from: 0 });
  // Only the first message's block is given back by the next send; all of them are needed here.
  const large = a.allocate("uint8", 500000);
  a.free(large);
});

test("messages lie at addresses above 2 GiB as well", () => {
  const world = localJob({ ranks: 3, arenaBytes: 1258291200 });
  const recv = new Float32Array(40000);
  for (const count of [1, 100, 40000]) {
    const send = world[2]!.allocate("float32", count).fill(count);
    for (const buffer of [send, send.slice()]) {
      recv.fill(0);
      const part = recv.subarray(0, count);
      completeAll(
        [world[0]!.recvStart(part, { from: 2 }), world[2]!.sendStart(buffer, { to: 0 })],
        new Random(1),
      );
      assert.ok(part.every((x) => x === count));
    }
  }
});

test("CCL-6 a: one rank only sends, the other only receives", () => {
  const [a, b] = localJob({ ranks: 2 }) as [LocalGroup, LocalGroup];
  const recv = new Uint8Array(1048576);
  const sending = grouped(() => void a.sendStart(new Uint8Array(1048576).fill(7), { to: 1 }));
  const receiving = grouped(() => void b.recvStart(recv, { from: 0 }));
  completeAll([sending, receiving], new Random(SEED));
  assert.ok(recv.every((x) => x === 7));
});

test("CCL-6 b: both ranks receive first, then send", () => {
  const world = localJob({ ranks: 2 });
  const recvs = world.map(() => new Uint8Array(1048576));
  const requests = world.map((group, r) =>
    grouped(() => {
      group.recvStart(recvs[r]!, { from: 1 - r });
      group.sendStart(new Uint8Array(1048576).fill(r + 1), { to: 1 - r });
    }),
  );
  completeAll(requests, new Random(SEED));
  recvs.forEach((recv, r) => void assert.ok(recv.every((x) => x === 2 - r)));
});

test("CCL-6 c: four ranks in a ring, receives first", () => {
  const world = localJob({ ranks: 4 });
  const recvs = world.map(() => new Uint8Array(1048576));
  const requests = world.map((group, r) =>
    grouped(() => {
      group.recvStart(recvs[r]!, { from: (r + 3) % 4 });
      group.sendStart(new Uint8Array(1048576).fill(r + 1), { to: (r + 1) % 4 });
    }),
  );
  completeAll(requests, new Random(SEED));
  recvs.forEach((recv, r) => void assert.ok(recv.every((x) => x === ((r + 3) % 4) + 1)));
});
