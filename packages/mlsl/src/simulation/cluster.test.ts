import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../engine/compile.js";
import { FRAME_HEADER_BYTES, PART_HEADER_BYTES } from "../engine/frames.js";
import type { EngineRequest, RequestSpec } from "../engine/request.js";
import { buildSchedule } from "../schedules/transport/registry.js";
import { Cluster, type ClusterSpec } from "./cluster.js";

const HEADERS = FRAME_HEADER_BYTES + PART_HEADER_BYTES;
/** No time passes in kernels. */
const INSTANT = { combineGBps: Number.POSITIVE_INFINITY, copyGBps: Number.POSITIVE_INFINITY };

function network(ranks: number): ClusterSpec["network"] {
  return { ranks, latencyMs: 0.01, bandwidthGBps: 1, overheadMs: 0 };
}

interface Allreduce {
  readonly algorithm: string;
  readonly bytes: number;
  readonly spec?: Partial<RequestSpec>;
}

/** Posts an allreduce of floats on all ranks, in a new group of all. */
function postAllreduce(
  cluster: Cluster,
  { algorithm, bytes, spec }: Allreduce,
  group = 0,
): EngineRequest[] {
  const members = Array.from({ length: cluster.ranks }, (_, rank) => rank);
  return members.map((rank) => {
    const shape = { rank, ranks: cluster.ranks, count: bytes / 4 };
    const schedule = buildSchedule("allreduce", algorithm, shape);
    const program = compile(schedule, { elementBytes: 4, chunkBytes: cluster.chunkBytes });
    const engine = cluster.engine(rank);
    const timeoutMs = Number.POSITIVE_INFINITY;
    const whole = { fingerprint: algorithm, program, timeoutMs, ...spec };
    return engine.post(engine.openGroup(group, members), whole);
  });
}

function runAllreduce(spec: ClusterSpec, asked: Allreduce): { cluster: Cluster; endMs: number } {
  const cluster = new Cluster(spec);
  let settled = 0;
  let endMs = 0;
  cluster.onSettled = (_, request) => {
    assert.equal(request.state, "done");
    settled++;
    endMs = cluster.clock.nowMs;
  };
  postAllreduce(cluster, asked).forEach((request, rank) => {
    cluster.start(rank, request);
  });
  cluster.run();
  assert.equal(settled, cluster.ranks);
  return { cluster, endMs };
}

function near(actual: number, expected: number, share: number): void {
  assert.ok(Math.abs(actual - expected) <= share * expected, `${actual} is not about ${expected}`);
}

test("recursive doubling takes a meeting and its rounds, to the byte", () => {
  const spec = { network: network(8), kernels: { combineGBps: 2, copyGBps: 1 } };
  const bytes = 4096;
  const { endMs } = runAllreduce(spec, { algorithm: "recursiveDoubling", bytes });
  const copyMs = bytes / 1e6;
  const helloMs = 0.01 + HEADERS / 1e6;
  // What leaves is copied first, and not before it is known to have arrived is it overwritten;
  // the latency until then is longer than the combining meanwhile.
  const roundMs = copyMs + 0.01 + (HEADERS + bytes) / 1e6 + 0.01;
  near(endMs, 3 * helloMs + copyMs + 3 * roundMs, 1e-9);
});

test("the ring of large vectors is bound by bandwidth", () => {
  const ranks = 8;
  const bytes = 8 * 1048576;
  const { endMs } = runAllreduce(
    { network: network(ranks), kernels: INSTANT },
    { algorithm: "ring", bytes },
  );
  const least = (2 * (ranks - 1) * bytes) / ranks / 1e6;
  assert.ok(endMs > least);
  near(endMs, least, 0.05);
});

test("halving and doubling of large vectors is bound by bandwidth", () => {
  const ranks = 16;
  const bytes = 8 * 1048576;
  const { endMs } = runAllreduce(
    { network: network(ranks), kernels: INSTANT },
    { algorithm: "halvingDoubling", bytes },
  );
  const least = (2 * (ranks - 1) * bytes) / ranks / 1e6;
  assert.ok(endMs > least);
  near(endMs, least, 0.05);
});

test("ranks that share a port take as many times as long as they are", () => {
  const bytes = 4 * 1048576;
  const asked = { algorithm: "recursiveDoubling", bytes };
  const alone = runAllreduce({ network: network(2), kernels: INSTANT }, asked).endMs;
  // Both hosts' pairs exchange among themselves, then each with its partner on the other host.
  const shared = { ...network(4), ranksPerHost: 2, localLatencyMs: 0, localBandwidthGBps: 1e6 };
  const { endMs } = runAllreduce({ network: shared, kernels: INSTANT }, asked);
  near(endMs, 2 * alone, 0.05);
});

test("the same is the same to the last bit, and any rank may be the last to start", () => {
  const once = (): number[] => {
    const cluster = new Cluster({
      network: network(7),
      kernels: { combineGBps: 3, copyGBps: 5 },
      chunkBytes: 512,
      windowBytes: 1024,
    });
    const requests = postAllreduce(cluster, { algorithm: "doubleTree", bytes: 40000 });
    requests.forEach((request, rank) => {
      cluster.clock.at(((rank * 5) % 7) / 10, () => cluster.start(rank, request));
    });
    cluster.run();
    return [
      ...requests.flatMap(({ times }) => Object.values(times) as number[]),
      cluster.clock.eventCount,
    ];
  };
  const first = once();
  assert.deepEqual(once(), first);
  assert.ok(first.at(-1)! > 1000);
});

test("whoever is told of a request may start it again at once", () => {
  const cluster = new Cluster({ network: network(3), kernels: INSTANT });
  const spec = { persistent: true };
  const requests = postAllreduce(cluster, { algorithm: "ring", bytes: 1200, spec });
  const counts = [0, 0, 0];
  cluster.onSettled = (rank, request) => {
    counts[rank]!++;
    if (request.starts < 5) cluster.start(rank, request);
  };
  requests.forEach((request, rank) => {
    cluster.start(rank, request);
  });
  cluster.run();
  assert.deepEqual(counts, [5, 5, 5]);
  assert.ok(requests.every(({ state }) => state === "done"));
});

test("a rank that does not come: the others' time is up, or the run says who waits for whom", () => {
  const waiting = (timeoutMs: number): { cluster: Cluster; requests: EngineRequest[] } => {
    const cluster = new Cluster({ network: network(3), kernels: INSTANT });
    const spec = { timeoutMs };
    const requests = postAllreduce(cluster, { algorithm: "ring", bytes: 1200, spec });
    for (const rank of [0, 1]) cluster.start(rank, requests[rank]!);
    return { cluster, requests };
  };
  assert.throws(
    () => waiting(Number.POSITIVE_INFINITY).cluster.run(),
    /^Error: 2 requests wait for ever at .* ms: rank 0, request 0 of group 0, for .*2; rank 1/,
  );
  const { cluster, requests } = waiting(7);
  cluster.run();
  assert.deepEqual(requests[0]!.failure, {
    kind: "timeout",
    match: 0,
    timeoutMs: 7,
    rank: 0,
    missing: [2],
  });
  assert.equal(requests[1]!.state, "failed");
  near(cluster.clock.nowMs, 7, 0.01);
});

test("a cluster does without engines of ranks that do nothing, and refuses ranks it has not", () => {
  const spec = { ...network(9600), overheadMs: 0.004 };
  const cluster = new Cluster({ network: spec, kernels: INSTANT });
  assert.equal(cluster.engine(9599).rank, 9599);
  assert.throws(() => cluster.engine(9600), /rank 9600: there are 9600 ranks/);
  assert.equal(cluster.chunkBytes, 65536);
  assert.equal(cluster.windowBytes, 2 * 0.014 * 1e6 + 2 * 65536);
});

/** Starts a large all-reduce on all ranks and a small one, more urgent, when a millisecond has passed. */
function smallAfterLarge(spec: Partial<ClusterSpec>): { waitMs: number; chunkMs: number } {
  const chunkBytes = 65536;
  const cluster = new Cluster({ network: network(4), kernels: INSTANT, chunkBytes, ...spec });
  const large = { algorithm: "ring", bytes: 16 * 1048576, spec: { priority: 5, persistent: true } };
  const small = { algorithm: "ring", bytes: 16384, spec: { priority: 0, persistent: true } };
  const requests = [postAllreduce(cluster, large), postAllreduce(cluster, small, 1)];
  // Both have met: what is measured is data alone.
  for (const [i, all] of requests.entries()) {
    all.forEach((request, rank) => {
      cluster.clock.at(i * 1000, () => cluster.start(rank, request));
    });
  }
  cluster.run();
  const fromMs = cluster.clock.nowMs + 1;
  let doneMs = 0;
  cluster.onSettled = (_, request) => {
    if (request.spec.priority === 0) doneMs = cluster.clock.nowMs;
  };
  for (const [i, all] of requests.entries()) {
    all.forEach((request, rank) => {
      cluster.clock.at(fromMs + i, () => cluster.start(rank, request));
    });
  }
  cluster.run();
  return { waitMs: doneMs - fromMs - 1, chunkMs: chunkBytes / 1e6 };
}

test("an urgent chunk waits for the one that is leaving, not for all that may be in flight", () => {
  const { waitMs, chunkMs } = smallAfterLarge({ windowBytes: 8 * 1048576 });
  // Six steps of the ring; in each a chunk may be on its way out, and one on its way in.
  assert.ok(waitMs < 6 * (2 * chunkMs + 0.03), `${waitMs} ms`);
  const fifo = smallAfterLarge({ windowBytes: 8 * 1048576, mode: "fifo" });
  assert.ok(fifo.waitMs > 10 * waitMs, `${fifo.waitMs} ms`);
});

test("ranks that share a port share it evenly", () => {
  const cluster = new Cluster({
    network: { ...network(4), ranksPerHost: 2 },
    kernels: INSTANT,
    chunkBytes: 65536,
  });
  const ends: number[] = [];
  cluster.onSettled = () => void ends.push(cluster.clock.nowMs);
  for (const root of [0, 1]) {
    const members = [root, root + 2];
    members.forEach((rank, place) => {
      const shape = { rank: place, ranks: 2, root: 0, count: 1048576 };
      const schedule = buildSchedule("broadcast", "binomial", shape);
      const program = compile(schedule, { elementBytes: 4, chunkBytes: cluster.chunkBytes });
      const group = cluster.openGroup(rank, root, members);
      const timeoutMs = Number.POSITIVE_INFINITY;
      const spec = { fingerprint: "broadcast", program, timeoutMs };
      cluster.start(rank, cluster.engine(rank).post(group, spec));
    });
  }
  cluster.run();
  // Both need the port for 4.2 ms: alone each would be through by then, one after the other at 4.2 and 8.4.
  for (const endMs of ends) near(endMs, 8.4, 0.05);
});
