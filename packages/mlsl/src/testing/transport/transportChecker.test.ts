import assert from "node:assert/strict";
import { test } from "node:test";
import { ALGORITHMS, findAlgorithm } from "../../schedules/transport/registry.js";
import type { TransportKind } from "../../schedules/transport/shapes.js";
import type { TransportSchedule, TransportStep } from "../../schedules/transport/steps.js";
import { type Mutation, prove } from "./transportProof.js";

type Steps = readonly TransportStep[];

/** Changes the steps of one rank. */
function onRank(rank: number, change: (steps: Steps) => Steps): Mutation {
  return (schedules) =>
    schedules.map(
      (one, index): TransportSchedule =>
        index === rank ? { ...one, steps: change(one.steps) } : one,
    );
}

function dropped(index: number): (steps: Steps) => Steps {
  return (steps) => steps.filter((_, i) => i !== index);
}

function swapped(index: number): (steps: Steps) => Steps {
  return (steps) =>
    steps.map((step, i) => (i === index ? steps[i + 1]! : i === index + 1 ? steps[i - 1]! : step));
}

function shifted(index: number, by: number): (steps: Steps) => Steps {
  return (steps) =>
    steps.map((step, i) => {
      if (i !== index) return step;
      if (step.kind === "copy") return { ...step, to: { ...step.to, offset: step.to.offset + by } };
      return { ...step, region: { ...step.region, offset: step.region.offset + by } };
    });
}

/** The count of steps of a rank. */
function stepsOf(kind: TransportKind, name: string, rank: number): number {
  let found = 0;
  const look = onRank(rank, (steps) => {
    found = steps.length;
    return steps;
  });
  proved(kind, name, look);
  return found;
}

const SIZE = { ranks: 6, root: 2, count: 12 };

function proved(kind: TransportKind, name: string, mutate: Mutation): void {
  prove({ kind, algorithm: findAlgorithm(kind, name), size: SIZE, mutate }, 1);
}

/** Steps of a barrier carry nothing, so a wrong place in scratch changes nothing. */
const KINDS = (Object.keys(ALGORITHMS) as TransportKind[]).filter((kind) => kind !== "barrier");

test("a dropped step is found, whichever of whatever algorithm it is", () => {
  for (const kind of KINDS) {
    for (const { name } of ALGORITHMS[kind]) {
      for (let index = 0; index < stepsOf(kind, name, 3); index++) {
        const mutate = onRank(3, dropped(index));
        assert.throws(() => proved(kind, name, mutate), Error, `${kind} ${name}, step ${index}`);
      }
    }
  }
});

test("an offset that is wrong by one is found, whichever of whatever algorithm it is", () => {
  for (const kind of KINDS) {
    for (const { name } of ALGORITHMS[kind]) {
      for (let index = 0; index < stepsOf(kind, name, 3); index++) {
        for (const by of [-1, 1]) {
          const mutate = onRank(3, shifted(index, by));
          assert.throws(() => proved(kind, name, mutate), Error, `${kind} ${name}, step ${index}`);
        }
      }
    }
  }
});

test("swapped steps are found", () => {
  // A ring sends what it has just received, and copies before it combines.
  assert.throws(() => proved("allreduce", "ring", onRank(3, swapped(0))), /Rank/);
  assert.throws(() => proved("allreduce", "ring", onRank(3, swapped(2))), /Rank/);
  assert.throws(() => proved("allgather", "ring", onRank(3, swapped(2))), /Rank/);
  // Two messages from one rank come in the order in which they were sent.
  const two = findAlgorithm("allgatherv", "recursiveDoubling");
  const swap = onRank(1, (steps) => {
    const first = steps.findIndex(
      ({ kind }, i) => kind === "receive" && steps[i + 1] !== undefined,
    );
    return swapped(first)(steps);
  });
  const size = { ranks: 3, root: 0, count: 4, countOf: () => 4 };
  assert.throws(
    () => prove({ kind: "allgatherv", algorithm: two, size, mutate: swap }, 1),
    /wrong in element/,
  );
});

const from = (name: "send" | "recv" | "scratch", count: number, offset = 0) => ({
  buffer: name,
  offset,
  count,
});

/** An all-reduce of two ranks by the given steps, combined by the lower rank first. */
function pairOf(steps: (rank: number) => Steps, scratchCount = 0) {
  const build = ({ rank }: { rank: number }) => ({ scratchCount, steps: steps(rank) });
  const algorithm = { name: "own", keepsOrder: true, build };
  return () => prove({ kind: "allreduce", algorithm, size: { ranks: 2, root: 0, count: 4 } }, 1);
}

const combined = (rank: number): TransportStep => ({
  kind: "receive",
  from: 1 - rank,
  region: from("recv", 4),
  combine: rank === 0 ? "after" : "before",
});

test("an exchange out of the region that the result is combined into waits for ever", () => {
  const early = pairOf((rank) => [
    { kind: "copy", from: from("send", 4), to: from("recv", 4) },
    { kind: "send", to: 1 - rank, region: from("recv", 4) },
    combined(rank),
  ]);
  assert.throws(early, /Rank \d at step 2.*waits for ever/);
});

test("an exchange out of send is right, but waits for ever in place", () => {
  const apart = pairOf((rank) => [
    { kind: "copy", from: from("send", 4), to: from("recv", 4) },
    { kind: "send", to: 1 - rank, region: from("send", 4) },
    combined(rank),
  ]);
  assert.throws(apart, /waits for ever/);
});

test("send read after it was overwritten in place is found", () => {
  const late = pairOf(
    (rank) => [
      { kind: "copy", from: from("send", 4), to: from("scratch", 4) },
      { kind: "copy", from: from("send", 4), to: from("recv", 4) },
      { kind: "send", to: 1 - rank, region: from("scratch", 4) },
      combined(rank),
      { kind: "copy", from: from("send", 4), to: from("scratch", 4) },
      { kind: "copy", from: from("scratch", 4), to: from("recv", 4) },
    ],
    4,
  );
  assert.throws(late, /is wrong in element 0/);
});

test("an overwrite before the send is found", () => {
  const early = pairOf(
    (rank) => [
      { kind: "copy", from: from("send", 4), to: from("recv", 4) },
      { kind: "copy", from: from("send", 4), to: from("scratch", 4) },
      { kind: "copy", from: from("recv", 1, 1), to: from("scratch", 1) },
      { kind: "send", to: 1 - rank, region: from("scratch", 4) },
      combined(rank),
    ],
    4,
  );
  assert.throws(early, /is wrong in element 0/);
});

test("another order of combining is other bits", () => {
  const bits = pairOf(
    (rank) => [
      { kind: "copy", from: from("send", 4), to: from("recv", 4) },
      { kind: "copy", from: from("send", 4), to: from("scratch", 4) },
      { kind: "send", to: 1 - rank, region: from("scratch", 4) },
      { kind: "receive", from: 1 - rank, region: from("recv", 4), combine: "after" },
    ],
    4,
  );
  assert.throws(bits, /Rank 1 has other bits than another in element 0/);
});

test("a write to send, a region outside, scratch that was not asked for: all are found", () => {
  const one = (step: TransportStep) => () => pairOf(() => [step])();
  const copy = (to: TransportStep & { kind: "copy" }) => one(to);
  assert.throws(
    copy({ kind: "copy", from: from("send", 1), to: from("send", 1, 1) }),
    /"send" is written/,
  );
  assert.throws(
    copy({ kind: "copy", from: from("send", 1), to: from("recv", 1, 4) }),
    /outside of "recv", which has 4/,
  );
  assert.throws(
    copy({ kind: "copy", from: from("send", 1), to: from("scratch", 1) }),
    /outside of "scratch", which has 0/,
  );
  assert.throws(
    copy({ kind: "copy", from: from("recv", 1), to: from("recv", 1, 1) }),
    /reads what nobody has written/,
  );
  assert.throws(one({ kind: "send", to: 2, region: from("send", 1) }), /no such peer/);
});

test("counts that differ and a message that nobody receives are found", () => {
  const short = pairOf((rank) => [
    { kind: "send", to: 1 - rank, region: from("send", 3) },
    { kind: "receive", from: 1 - rank, region: from("recv", 4) },
  ]);
  assert.throws(short, /3 elements arrive/);
  const lost = pairOf((rank) => [{ kind: "send", to: 1 - rank, region: from("send", 3) }]);
  assert.throws(lost, /Rank \d does not receive 3 elements of \d/);
});

test("a barrier without one of its rounds lets somebody go too early", () => {
  const algorithm = findAlgorithm("barrier", "dissemination");
  const mutate: Mutation = (schedules) =>
    schedules.map((one) => ({ ...one, steps: one.steps.slice(2) }));
  assert.throws(
    () => prove({ kind: "barrier", algorithm, size: SIZE, mutate }, 1),
    /leaves the barrier before rank/,
  );
});

test("an algorithm that claims an order that it does not keep is found", () => {
  for (const [kind, name] of [
    ["allreduce", "ring"],
    ["reduce", "doubleTree"],
    ["reduceScatter", "ring"],
    ["reduceScatter", "recursiveHalving"],
    ["reduceScatter", "pairwise"],
  ] as const) {
    const algorithm = { ...findAlgorithm<TransportKind>(kind, name), keepsOrder: true };
    assert.throws(
      () => prove({ kind: kind as TransportKind, algorithm, size: SIZE }, 1),
      /is wrong in element/,
    );
  }
});
