import assert from "node:assert/strict";
import { test } from "node:test";
import { dataOf, EngineWire } from "../testing/engineWire.js";
import type { Frame } from "./frames.js";
import { OLDEST_EVERY } from "./order.js";

test("a request completes on every rank, for every number of ranks and any count", () => {
  for (let ranks = 1; ranks <= 9; ranks++) {
    for (const count of [0, 1, ranks, 500]) {
      const wire = new EngineWire(ranks);
      for (const { rank } of wire.engines) wire.allreduce(rank, { count });
      wire.run();
      assert.equal(wire.log.filter((line) => line.endsWith(" 0 done")).length, ranks);
      for (const engine of wire.engines) assert.equal(engine.activeCount, 0);
      for (const { requests } of wire.worlds) assert.equal(requests.size, 0);
    }
  }
});

test("no data leaves before all ranks are known to have posted the request", () => {
  const wire = new EngineWire(5);
  for (const rank of [0, 1, 2, 3]) wire.allreduce(rank, { count: 100 });
  wire.run();
  assert.deepEqual(wire.log, []);
  assert.equal(wire.frames.flatMap(dataOf).length, 0);
  wire.nowMs = 7;
  const last = wire.allreduce(4, { count: 100 });
  wire.run();
  assert.equal(wire.log.length, 5);
  assert.equal(last.times.metMs, 7);
  assert.ok(wire.frames.flatMap(dataOf).length > 0);
});

test("ranks that mean different things learn it on every rank, and no data has left", () => {
  for (let ranks = 2; ranks <= 9; ranks++) {
    const wire = new EngineWire(ranks);
    for (const { rank } of wire.engines) {
      wire.allreduce(rank, rank === 1 ? { count: 100, fingerprint: "else" } : { count: 100 });
    }
    wire.run();
    assert.equal(wire.log.filter((line) => line.endsWith("failed")).length, ranks);
    assert.equal(wire.frames.flatMap(dataOf).length, 0);
    for (const { request } of wire.settled) {
      assert.equal(request.failure?.kind, "mismatch");
      const texts = request.failure.asked.map(({ fingerprint }) => fingerprint);
      assert.deepEqual(texts.sort(), ["allreduce of 100", "else"]);
    }
    // The group is closed on every rank, a new one works.
    assert.equal(wire.allreduce(0, { count: 1 }).state, "failed");
    const members = wire.worlds[0]!.members;
    wire.settled.length = 0;
    for (const engine of wire.engines) {
      const group = engine.openGroup(1, members);
      const again = wire.post(engine.rank, { count: 1 });
      engine.start(engine.post(group, again.spec), 0);
    }
    wire.run();
    assert.equal(wire.log.filter((line) => line.endsWith("done")).length, ranks);
  }
});

test("between two chunks, what is more urgent goes first", () => {
  const wire = new EngineWire(2);
  for (const rank of [0, 1]) wire.allreduce(rank, { count: 200, priority: 5 });
  // The meeting alone.
  for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
  const before = wire.next(0)!;
  assert.deepEqual(
    dataOf(before).map(({ match }) => match),
    [0],
  );
  for (const rank of [0, 1]) wire.allreduce(rank, { count: 16, priority: 1 });
  wire.deliver(wire.next(1)!);
  const matches: unknown[] = [];
  for (let frame = wire.next(0); frame; frame = wire.next(0)) {
    matches.push(...dataOf(frame).map(({ match }) => match));
  }
  // A hundred elements are seven chunks of sixteen, of which one had left.
  assert.deepEqual(matches, [1, 0, 0, 0, 0, 0, 0]);
});

test("kernels go by urgency, too", () => {
  const wire = new EngineWire(2);
  for (const rank of [0, 1]) wire.allreduce(rank, { count: 32, priority: 5 });
  for (const rank of [0, 1]) wire.allreduce(rank, { count: 32, priority: 1 });
  const frames: Frame[] = [];
  for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
  for (const rank of [0, 1]) {
    for (let frame = wire.next(rank); frame; frame = wire.next(rank)) frames.push(frame);
  }
  // The less urgent arrive first.
  const byUrgency = (frame: Frame) => -Number(dataOf(frame)[0]?.match);
  for (const frame of frames.sort((a, b) => byUrgency(b) - byUrgency(a))) wire.deliver(frame);
  assert.deepEqual(
    wire.runKernels(0).map(({ request }) => request.match),
    [1, 0],
  );
});

test("fifo takes requests as they were started, lifo the other way round", () => {
  for (const [mode, first] of [
    ["fifo", 0],
    ["lifo", 2],
    ["priority", 1],
  ] as const) {
    const wire = new EngineWire(2, { mode });
    for (const rank of [0, 1]) {
      for (const priority of [5, 0, 9]) wire.allreduce(rank, { count: 32, priority });
    }
    for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
    assert.equal(dataOf(wire.next(0)!)[0]!.match, first, mode);
  }
});

test("small chunks of several requests share a frame, up to the target size", () => {
  const wire = new EngineWire(2, { chunkBytes: 64 });
  for (const rank of [0, 1]) for (let i = 0; i < 6; i++) wire.allreduce(rank, { count: 10 });
  for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
  // Half of ten elements is 20 bytes: three to a frame.
  const frames = [wire.next(0)!, wire.next(0)!, wire.next(0)];
  assert.deepEqual(
    frames.map((frame) => frame && dataOf(frame).length),
    [3, 3, undefined],
  );
  assert.equal(frames[0]!.dataBytes, 60);
  assert.ok(frames[0]!.byteLength > 60);
});

test("no chunk leaves while the bound on bytes in flight is reached", () => {
  const wire = new EngineWire(2, { chunkBytes: 64, windowBytes: 100 });
  for (const rank of [0, 1]) wire.allreduce(rank, { count: 200 });
  for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
  const [first, second] = [wire.next(0)!, wire.next(0)!];
  assert.equal(first.dataBytes + second.dataBytes, 128);
  assert.equal(wire.next(0), undefined);
  wire.engines[0]!.frameLanded(first);
  assert.equal(wire.next(0)!.dataBytes, 64);
  assert.equal(wire.next(0), undefined);
});

test("the oldest request gets every sixteenth chunk, however urgent others are", () => {
  const wire = new EngineWire(2, { chunkBytes: 64 });
  for (const rank of [0, 1]) {
    wire.allreduce(rank, { count: 32 * 100, priority: 9 });
    wire.allreduce(rank, { count: 32 * 100, priority: 1 });
  }
  for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
  const matches = Array.from({ length: 64 }, () => dataOf(wire.next(0)!)[0]!.match);
  const expected = matches.map((_, i) => ((i + 1) % OLDEST_EVERY === 0 ? 0 : 1));
  assert.deepEqual(matches, expected);
});

test("HVD-2 named requests match whatever order ranks start them in", () => {
  const wire = new EngineWire(3);
  const names = ["a", "b", "c", "a"];
  for (const { rank } of wire.engines) {
    const order = names.map((_, i) => names[(i + rank) % names.length]!);
    for (const name of order) {
      // The count shows which it is; the second "a" is like the first.
      const count = name.charCodeAt(0);
      wire.allreduce(rank, { count, name });
    }
  }
  wire.run();
  const expected = ["a#0", "a#1", "b#0", "c#0"].flatMap((m) =>
    [0, 1, 2].map((r) => `${r} ${m} done`),
  );
  assert.deepEqual(wire.log.sort(), expected.sort());
});

test("a persistent request starts again and again without another meeting", () => {
  const wire = new EngineWire(3);
  const requests = wire.engines.map(({ rank }) => wire.post(rank, { count: 9, persistent: true }));
  for (let round = 0; round < 4; round++) {
    wire.frames.length = 0;
    wire.settled.length = 0;
    // Two ranks are early: what they want to send waits for the third.
    for (const rank of [0, 1]) wire.engines[rank]!.start(requests[rank]!, round);
    wire.run();
    assert.deepEqual(wire.log, []);
    wire.engines[2]!.start(requests[2]!, round);
    wire.run();
    assert.deepEqual(wire.log.sort(), ["0 0 done", "1 0 done", "2 0 done"]);
    const hellos = wire.frames.flatMap(({ parts }) => parts.filter((p) => p.kind === "hello"));
    assert.equal(hellos.length > 0, round === 0);
  }
  wire.engines.forEach((engine, rank) => {
    engine.free(requests[rank]!);
    assert.equal(wire.worlds[rank]!.requests.size, 0);
  });
});

test("a persistent request uses the same chunks in every round", () => {
  const wire = new EngineWire(2);
  const requests = wire.engines.map(({ rank }) => wire.post(rank, { count: 64, persistent: true }));
  const seen: object[][] = [];
  for (let round = 0; round < 3; round++) {
    wire.frames.length = 0;
    wire.engines.forEach((engine, rank) => {
      engine.start(requests[rank]!, 0);
    });
    wire.run();
    seen.push(wire.frames.flatMap(dataOf));
  }
  assert.deepEqual(new Set(seen[1]), new Set(seen[0]));
  assert.deepEqual(new Set(seen[2]), new Set(seen[0]));
});

test("X-1 a request that takes too long fails on all ranks, and says who is missing", () => {
  const wire = new EngineWire(3);
  for (const rank of [0, 2]) wire.allreduce(rank, { count: 9, timeoutMs: 500 });
  wire.run();
  assert.equal(wire.engines[0]!.nextDeadlineMs, 500);
  wire.nowMs = 499;
  wire.engines[0]!.tick(wire.nowMs);
  assert.equal(wire.engines[0]!.activeCount, 1);
  wire.nowMs = 500;
  wire.engines[2]!.tick(wire.nowMs);
  wire.run();
  const { failure } = wire.settled[0]!.request;
  assert.deepEqual(failure, {
    kind: "timeout",
    match: 0,
    timeoutMs: 500,
    rank: 2,
    missing: [1],
  });
  assert.equal(wire.allreduce(1, { count: 9 }).failure, failure, "the late rank hears of it");
  assert.equal(wire.engines[0]!.nextDeadlineMs, Number.POSITIVE_INFINITY);
});

test("in the middle of a request, the missing are those whose chunks have not come", () => {
  const wire = new EngineWire(3);
  for (const rank of [0, 1, 2]) wire.allreduce(rank, { count: 90 });
  wire.run([0, 1]);
  const frame = wire.next(2)!;
  wire.deliver(frame);
  wire.run([0, 1]);
  const hello = wire.next(2)!;
  assert.equal(dataOf(hello).length, 0);
  wire.deliver(hello);
  wire.run([0, 1]);
  wire.engines[0]!.tick(1000);
  wire.run([0, 1]);
  const failure = wire.settled[0]!.request.failure;
  assert.equal(failure?.kind, "timeout");
  assert.deepEqual(failure.missing, [2]);
});

test("a rank that is gone fails all its groups, and no other", () => {
  const wire = new EngineWire(3);
  const pair = [0, 1].map((rank) => wire.engines[rank]!.openGroup(7, [0, 1]));
  for (const rank of [0, 1]) wire.allreduce(rank, { count: 9 });
  wire.engines[0]!.peerLost(2, "it was killed", 3);
  wire.run([0, 1]);
  assert.deepEqual(wire.log.sort(), ["0 0 failed", "1 0 failed"]);
  const failure = { kind: "lost", rank: 2, reason: "it was killed" } as const;
  assert.deepEqual(wire.settled[1]!.request.failure, failure);
  assert.equal(pair[0]!.failure, undefined);
});

test("what comes for a group that is not open yet is kept for it", () => {
  const wire = new EngineWire(2);
  const first = wire.engines[0]!.openGroup(3, [0, 1]);
  const { spec } = wire.post(0, { count: 4 });
  wire.engines[0]!.start(wire.engines[0]!.post(first, spec), 0);
  wire.run();
  const second = wire.engines[1]!.openGroup(3, [0, 1]);
  const theirs = wire.post(1, { count: 4 }).spec;
  wire.engines[1]!.start(wire.engines[1]!.post(second, theirs), 0);
  wire.run();
  assert.deepEqual(wire.log, ["0 0 done", "1 0 done"]);
});

test("what comes for a group that was closed is dropped, and its number is not used again", () => {
  const wire = new EngineWire(2);
  wire.engines[0]!.closeGroup(wire.worlds[0]!);
  wire.allreduce(1, { count: 4, timeoutMs: 5 });
  wire.engines[1]!.tick(5);
  wire.run();
  assert.ok(wire.frames.some(({ parts }) => parts.some(({ kind }) => kind === "abort")));
  assert.throws(() => wire.engines[0]!.openGroup(0, [0, 1]), /the number has been used/);
});

test("messages that cannot be fail the group before anything is written", () => {
  const wrong = [
    { ordinal: 99 },
    { byteLength: 4 },
    { match: 12 },
    { ordinal: -1 },
    { match: "allreduce" },
  ];
  for (const change of wrong) {
    const wire = new EngineWire(2);
    for (const rank of [0, 1]) wire.allreduce(rank, { count: 32 });
    for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
    const frame = wire.next(0)!;
    const part = dataOf(frame)[0]!;
    const { group, match } = part;
    wire.deliver({ ...frame, parts: [{ ...part, group, match, ...change }] });
    assert.equal(wire.runKernels(1).length, 0);
    assert.equal(wire.worlds[1]!.failure?.kind, "badMessage", JSON.stringify(change));
  }
});

test("the same chunk twice is an error", () => {
  const wire = new EngineWire(2);
  for (const rank of [0, 1]) wire.allreduce(rank, { count: 32 });
  for (const rank of [0, 1]) wire.deliver(wire.next(rank)!);
  const frame = wire.next(0)!;
  wire.engines[1]!.frameArrived(frame, 0);
  wire.engines[1]!.frameArrived(frame, 0);
  assert.equal(wire.worlds[1]!.failure?.kind, "badMessage");
});

test("misuse is refused before anything is changed", () => {
  const wire = new EngineWire(2);
  const [engine] = wire.engines as [(typeof wire.engines)[number]];
  assert.throws(() => engine.openGroup(0, [0]), /group 0: the number has been used/);
  assert.throws(() => engine.openGroup(9, [1]), /rank 0 is not one of its members/);
  const request = wire.allreduce(0, { count: 3, persistent: true });
  assert.throws(() => engine.start(request, 0), /request 0: it is under way/);
  assert.throws(() => engine.free(request), /request 0: it is under way/);
  assert.throws(() => engine.closeGroup(wire.worlds[0]!), /request 0 is under way/);
});
