import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../engine/compile.js";
import type { EngineRequest } from "../engine/request.js";
import { buildSchedule } from "../schedules/transport/registry.js";
import { Cluster } from "./cluster.js";

const RANKS = 4;
/** So many bytes take 10 ms, and a frame a microsecond. */
const NETWORK = { ranks: RANKS, latencyMs: 0.001, bandwidthGBps: 1, overheadMs: 0 };
const BYTES = 1e7;

function made(): Cluster {
  return new Cluster({
    network: NETWORK,
    kernels: { combineGBps: Number.POSITIVE_INFINITY, copyGBps: Number.POSITIVE_INFINITY },
    faults: {},
  });
}

/** Starts an allreduce in a group of its own on some of its ranks, now. */
function begin(
  cluster: Cluster,
  id: number,
  members: readonly number[],
  starters: readonly number[] = members,
): EngineRequest[] {
  return starters.map((rank) => {
    const shape = { rank: members.indexOf(rank), ranks: members.length, count: BYTES / 4 };
    const schedule = buildSchedule("allreduce", "ring", shape);
    const program = compile(schedule, { elementBytes: 4, chunkBytes: cluster.chunkBytes });
    const group = cluster.openGroup(rank, id, members);
    const request = cluster.engine(rank).post(group, { fingerprint: "", program, timeoutMs: 1e4 });
    cluster.start(rank, request);
    return request;
  });
}

const lost = (rank: number): object => ({ kind: "lost", rank, reason: "connection closed" });

test("a rank dies: its groups fail on all others when they learn of it, other groups go on", () => {
  const cluster = made();
  const all = begin(cluster, 0, [0, 1, 2, 3]);
  const others = begin(cluster, 1, [0, 2, 3]);
  cluster.clock.at(3, () => cluster.kill(1, (rank) => rank));
  cluster.run();
  assert.equal(cluster.isDead(1), true);
  assert.equal(cluster.isDead(0), false);
  for (const rank of [0, 2, 3]) assert.deepEqual(all[rank]!.failure, lost(1));
  // Rank 0 learns of it at once, and tells.
  assert.ok(all[3]!.times.doneMs < 3 + 3 && all[0]!.times.doneMs === 3);
  for (const { state } of others) assert.equal(state, "done");
  for (const rank of [0, 2, 3]) assert.equal(cluster.engine(rank).contents.inFlightBytes, 0);
});

test("a group that is opened when one of its ranks is gone fails at once", () => {
  const cluster = made();
  let late: EngineRequest[] = [];
  cluster.clock.at(1, () => cluster.kill(1, () => 1));
  cluster.clock.at(5, () => {
    late = begin(cluster, 0, [0, 1, 2], [0, 2]);
  });
  cluster.run();
  for (const { failure, times } of late) {
    assert.deepEqual(failure, lost(1));
    assert.equal(times.doneMs, 5);
  }
});

test("a connection is lost: groups of both ranks fail, groups of one go on", () => {
  const cluster = made();
  const both = begin(cluster, 0, [0, 1, 2]);
  const one = begin(cluster, 1, [0, 2, 3]);
  cluster.clock.at(2, () => cluster.disconnect(0, 1, () => 0.5));
  cluster.run();
  for (const { failure } of both) assert.equal(failure?.kind, "lost");
  assert.deepEqual(both[0]!.failure, lost(1));
  assert.deepEqual(both[1]!.failure, lost(0));
  for (const { state } of one) assert.equal(state, "done");
});

test("without faults nothing can be lost", () => {
  const cluster = new Cluster({ network: NETWORK, kernels: { combineGBps: 1, copyGBps: 1 } });
  assert.throws(() => cluster.kill(1, () => 0), /made without "faults"/);
  assert.throws(() => cluster.disconnect(0, 1, () => 0), /made without "faults"/);
});
