import assert from "node:assert/strict";
import { test } from "node:test";
import { Cluster } from "../cluster.js";
import { CollectiveRun } from "./collectiveRun.js";
import { MemoryPayload } from "./memoryPayload.js";
import {
  checkAtEnd,
  checkEmpty,
  checkReason,
  checkResult,
  checkReuse,
  type Part,
} from "./partChecks.js";
import { type CollectivePlan, type ProgramPlan, planProgram } from "./programPlan.js";

const COLLECTIVE: CollectivePlan = {
  ...{ group: 0, root: 0, count: 5, elementBytes: 4, inPlace: false, starts: 1 },
  ...{ persistent: false, timeoutMs: 1e6 },
  kind: "allreduce",
  algorithm: "ring",
  operator: "sum",
};
const PLAN: ProgramPlan = { ...planProgram(1), groups: [[0, 1]], collectives: [COLLECTIVE] };

/** Plays one collective on two ranks. @returns rank 0's part in it, which is right */
function played(change: Partial<CollectivePlan> = {}): { cluster: Cluster; part: Part } {
  const payload = new MemoryPayload();
  const cluster = new Cluster({
    network: { ranks: 2, latencyMs: 0.01, bandwidthGBps: 1, overheadMs: 0 },
    kernels: { combineGBps: 1, copyGBps: 1 },
    payload,
  });
  const run = new CollectiveRun({ ...COLLECTIVE, ...change }, [0, 1], 1);
  const parts = run.members.map((place): Part => {
    const program = run.program(place, cluster.chunkBytes);
    const group = cluster.openGroup(place, 0, run.members);
    const { persistent, timeoutMs } = run.plan;
    const spec = { fingerprint: "", program, persistent, timeoutMs };
    const request = cluster.engine(place).post(group, spec);
    const memory = run.memory(place);
    memory.prepare((index) => run.input(place, 1, index), run.givesRecv(place));
    payload.add(request, { memory, operator: run.operator });
    return { run, collective: 0, place, memory, request, reused: false };
  });
  for (const { place, request } of parts) {
    run.starts[place]!++;
    cluster.start(place, request);
  }
  cluster.run();
  return { cluster, part: parts[0]! };
}

test("a part that is right passes all checks", () => {
  const { cluster, part } = played();
  checkResult(PLAN, part);
  checkAtEnd(PLAN, 0, part);
  checkEmpty(cluster.engine(0), [part], [part.request.group]);
  assert.equal(cluster.engine(0).contents.groups, 0);
});

test("a wrong element, a start too many, an impossible time and an impossible end are found", () => {
  const { part } = played();
  part.memory.recv[2]!++;
  assert.throws(() => checkResult(PLAN, part), /allreduce ring, request 0 .*: "recv"\[2\] is/);
  part.memory.recv[2]!--;
  const absent: ProgramPlan = { ...PLAN, accident: { kind: "absent", collective: 0, rank: 1 } };
  assert.throws(() => checkResult(absent, part), /is done, and cannot be/);
  part.request.times.metMs = -1;
  assert.throws(() => checkResult(PLAN, part), /impossible times/);
  part.run.starts[0]!++;
  assert.throws(() => checkResult(PLAN, part), /is at start 1/);
});

test("a barrier that ends before all have begun it is found", () => {
  const { part } = played({ kind: "barrier", algorithm: "dissemination" });
  checkResult(PLAN, part);
  part.run.starts[1]!--;
  assert.throws(() => checkResult(PLAN, part), /ends before all have begun it/);
});

test("writing into memory that is used for something else is found", () => {
  const { part } = played();
  part.memory.reuse();
  part.reused = true;
  checkReuse(part);
  part.memory.recv[0] = 1;
  assert.throws(() => checkReuse(part), /was written after it was over/);
  assert.throws(() => checkAtEnd(PLAN, 0, part), /was written after it was over/);
});

test("a failure without a reason is found, and bytes written by ranks that do not agree", () => {
  const { part } = played();
  part.request.state = "failed";
  part.request.failure = { kind: "mismatch", match: 0, asked: [] };
  assert.throws(() => checkReason(PLAN, part), /has failed: .*mismatch/);
  const apart: ProgramPlan = {
    ...PLAN,
    accident: { kind: "mismatch", collective: 0, ranks: [1] },
  };
  checkReason(apart, part);
  assert.throws(() => checkAtEnd(apart, 0, part), /written into its buffers though/);
  part.memory.prepare((index) => part.run.input(0, 1, index), false);
  checkAtEnd(apart, 0, part);
});

test("what has not ended, or not begun, is found", () => {
  const { part } = played();
  part.request.state = "running";
  assert.throws(() => checkAtEnd(PLAN, 0, part), /is running after 1 starts at the end/);
  assert.throws(() => checkAtEnd(PLAN, 0, undefined), /Rank 0 has never started one/);
});

test("an engine that keeps something is found", () => {
  const { cluster, part } = played({ persistent: true });
  const { group } = part.request;
  assert.throws(() => checkEmpty(cluster.engine(0), [], [group]), /left over: .*"posted":1/);
  checkEmpty(cluster.engine(0), [part], [group]);
});
