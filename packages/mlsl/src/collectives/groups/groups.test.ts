/** Groups made of groups: who is in them, what they do at once, and what they leave behind. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupClosedError, RankLostError, TimeoutError } from "../../errors/communicationErrors.js";
import { SegmentFullError } from "../../errors/segmentFullError.js";
import { STATUS_OFFSET } from "../../memory/layout.js";
import { encodeStatus } from "../../memory/rankStatus.js";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob, localRanks } from "../../testing/localJob.js";
import type { LocalGroup } from "./localGroup.js";

const SEED = 20261201;

type Made = (LocalGroup | undefined)[];

function split(
  groups: readonly LocalGroup[],
  ask: (rank: number) => readonly [color: number, key?: number],
): Promise<Made> {
  return Promise.all(groups.map((group) => group.split(...ask(group.rank))));
}

function existing(made: Made): LocalGroup[] {
  return made.filter((group) => group !== undefined);
}

/** Checks with an operation that a group's ranks know each other. */
async function assertWorks(groups: readonly LocalGroup[]): Promise<void> {
  await Promise.all(
    groups.map(async (group) => {
      const all = new Int32Array(group.ranks);
      await group.allgather(Int32Array.of(group.rank), all);
      assert.deepEqual(
        all,
        Int32Array.from({ length: group.ranks }, (_, r) => r),
      );
    }),
  );
}

test("split: ranks of a colour are ordered by key, then by rank; −1 gets no group", async () => {
  const world = localJob({ ranks: 6 });
  const made = await split(world, (r) => [r === 5 ? -1 : r % 2, -r]);
  const places = made.map((group) => group && [group.rank, group.ranks]);
  assert.deepEqual(places, [[2, 3], [1, 2], [1, 3], [0, 2], [0, 3], undefined]);
  const names = made.map((group) => group?.name);
  assert.deepEqual(names, [
    "world/1.0",
    "world/1.1",
    "world/1.0",
    "world/1.1",
    "world/1.0",
    undefined,
  ]);
  await assertWorks(existing(made));

  const tied = await split(world, (r) => [7, r < 3 ? 1 : 0]);
  assert.deepEqual(
    tied.map((group) => group!.rank),
    [3, 4, 5, 0, 1, 2],
  );
  const none = await split(world, () => [-1]);
  assert.deepEqual(none, new Array(6).fill(undefined));
  await assertWorks([...existing(tied), ...world]);
});

test("split: random colours and keys give the groups that they ask for", async () => {
  const random = new Random(SEED);
  for (let round = 0; round < 60; round++) {
    const ranks = 1 + random.below(9);
    const world = localJob({ ranks });
    const asked = world.map(() => [random.below(4) - 1, random.below(5) - 2] as const);
    const made = await split(world, (r) => asked[r]!);
    for (const [r, [color, key]] of asked.entries()) {
      const before = asked.filter(([c, k], other) => {
        return c === color && (k < key || (k === key && other < r));
      });
      const expected = color === -1 ? undefined : before.length;
      assert.equal(made[r]?.rank, expected, `round ${round}, rank ${r}`);
    }
    await assertWorks(existing(made));
  }
});

test("split: what is no colour or key is refused at once", async () => {
  const [group] = localJob({ ranks: 1 });
  await assert.rejects(group!.split(0.5), /Cannot split: color must be a whole number, got 0.5/);
  await assert.rejects(group!.split(0, NaN), /Cannot split: key must be a whole number, got NaN/);
  assert.throws(() => group!.splitSync(-2), /Cannot split: color must be -1 or more, got -2/);
  assert.throws(() => group!.splitSync("1" as unknown as number), TypeError);
  assert.equal(group!.splitSync(-1), undefined);
  assert.equal(group!.splitSync(3)!.ranks, 1);
});

test("subgroup: lists give the order; others give any list without them", async () => {
  const world = localJob({ ranks: 5 });
  const lists = [
    [2, 0],
    [4, 3, 1],
    [2, 0],
    [4, 3, 1],
    [4, 3, 1],
  ];
  const made = await Promise.all(world.map((group, r) => group.subgroup(lists[r]!)));
  assert.deepEqual(
    made.map((group) => [group!.rank, group!.ranks]),
    [
      [1, 2],
      [2, 3],
      [0, 2],
      [1, 3],
      [0, 3],
    ],
  );
  await assertWorks(existing(made));
  const some = await Promise.all(
    world.map((g, r) => g.subgroup(r === 3 ? [3] : r < 2 ? [1, 0] : [])),
  );
  assert.deepEqual(
    some.map((group) => group?.rank),
    [1, 0, undefined, 0, undefined],
  );
  await assertWorks(existing(some));
});

test("subgroup: lists that differ are an error on all ranks, which then go on", async () => {
  const world = localJob({ ranks: 4 });
  for (const lists of [
    [[0, 1], [1, 0], [], []],
    [[0, 1], [1], [], []],
    [[0, 1, 2], [0, 1, 2], [2], []],
  ]) {
    const outcomes = await Promise.allSettled(world.map((g, r) => g.subgroup(lists[r]!)));
    for (const outcome of outcomes) {
      assert.equal(outcome.status, "rejected");
      assert.match(
        String(outcome.reason),
        /ranks \d and \d are to be in it, but gave different lists/,
      );
    }
  }
  await assertWorks(world);
});

test("subgroup: a list that is none is refused at once", async () => {
  const [group] = localJob({ ranks: 1 });
  await assert.rejects(group!.subgroup([0, 0]), /rank 0 is in the list twice/);
  await assert.rejects(group!.subgroup([1]), /ranks must be from 0 to 0, got 1/);
  assert.throws(() => group!.subgroupSync([-1]), RangeError);
  assert.throws(() => group!.subgroupSync(0 as unknown as number[]), TypeError);
  assert.equal(group!.subgroupSync([]), undefined);
});

test("groups are made of groups of groups, and outlive those that they were made of", async () => {
  const world = localJob({ ranks: 8 });
  const halves = existing(await split(world, (r) => [r % 2]));
  const quarters = existing(await split(halves, (r) => [r % 2, -r]));
  const singles = existing(await split(quarters, (r) => [r]));
  assert.deepEqual(
    singles.map(({ name, ranks }) => [name.split("/").length, ranks]),
    world.map(() => [4, 1]),
  );
  await Promise.all(halves.map((group) => group.close()));
  await assertWorks(quarters);
  const sums = quarters.map(() => new Int32Array(1));
  await Promise.all(quarters.map((g, r) => g.allreduce(Int32Array.of(r), sums[r]!)));
  assert.deepEqual(
    sums.map((sum) => sum[0]),
    world.map((_, r) => r + ((r + 4) % 8)),
  );
  await assertWorks([...singles, ...world]);
});

test("operations of many groups go on together, in whatever order ranks start and wait", async () => {
  const random = new Random(SEED);
  const world = localJob({ ranks: 4, arenaBytes: 8388608 });
  const groups: LocalGroup[][] = world.map(() => []);
  for (let i = 0; i < 20; i++) {
    const made = await split(world, (r) => [0, i % 2 === 0 ? r : -r]);
    made.forEach((group, r) => void groups[r]!.push(group!));
  }
  await Promise.all(
    groups.map(async (own, r) => {
      const shuffled = () => own.map((_, i) => i).sort(() => random.next() - 0.5);
      const sums = own.map(() => new Float32Array(20000));
      const pending = new Map(
        shuffled().map((i) => {
          own[i]!.barrierStart();
          return [i, own[i]!.allreduceStart(new Float32Array(20000).fill(r), sums[i]!)];
        }),
      );
      for (const i of shuffled()) await pending.get(i)!.wait();
      assert.ok(sums.every((sum) => sum.every((x) => x === 6)));
    }),
  );
});

test("close: refused while something is pending, and for the world", async () => {
  const world = localJob({ ranks: 2 });
  const groups = existing(await split(world, () => [0]));
  const pending = groups[0]!.barrierStart();
  await assert.rejects(
    groups[0]!.close(),
    /Cannot close group "world\/1.0": operations are pending/,
  );
  completeAll([pending, groups[1]!.barrierStart()], new Random(1));
  const recv = groups[1]!.recvStart(new Int32Array(1), { from: 0 });
  assert.throws(() => groups[1]!.closeSync(), /operations are pending; wait for them first/);
  completeAll([recv, groups[0]!.sendStart(Int32Array.of(1), { to: 1 })], new Random(1));
  await assert.rejects(world[0]!.close(), /Cannot close the world: it ends with the job/);
  assert.throws(() => world[1]!.closeSync(), TypeError);
  await Promise.all(groups.map((group) => group.close()));
});

test("close: nothing can be started afterwards, not even what was built before", async () => {
  const world = localJob({ ranks: 2 });
  const groups = existing(await split(world, () => [0]));
  const data = new Float32Array(1);
  const built = groups.map((group) => [
    group.allreducePersistent(data, new Float32Array(1)),
    group.sendPersistent(data, { to: 0 }),
    group.sendrecvPersistent(data, new Float32Array(1), { to: 0, from: 0 }),
  ]);
  const closing = groups.map((group) => group.close());
  for (let i = 0; i < 2; i++) {
    const group = groups[i % 2]!;
    const text = /group "world\/1.0" was closed/;
    assert.throws(() => group.barrierStart(), text);
    assert.throws(() => group.sendStart(data, { to: 0 }), text);
    assert.throws(() => group.recvSync(data, { from: 0 }), text);
    await assert.rejects(group.split(0), text);
    await assert.rejects(group.subgroup([0]), text);
    for (const request of built.flat()) assert.throws(() => request.start(), text);
    await Promise.all(closing);
  }
  await Promise.all(groups.map((group) => group.close()));
  await assertWorks(world);
});

test("HVD-10 10,000 groups, some within groups, leave the memory as it was", async () => {
  const ranks = localRanks({ ranks: 2 });
  const world = ranks.map((rank) => rank.world);
  let available: number[] = [];
  for (let i = 0; i < 5000; i++) {
    const outer = await split(world, (r) => [0, i % 2 === 0 ? r : -r]);
    const inner = await split(existing(outer), (r) => [i % 3 === 0 ? r : 0]);
    if (i % 10 === 0) {
      existing(inner).forEach((group) => void group.sendSync(new Int32Array(99), { to: 0 }));
    }
    await Promise.all([...existing(inner), ...existing(outer)].map((group) => group.close()));
    if (i % 1000 !== 9) continue;
    // Making a group, even none, gives back what all have left by now.
    await split(world, () => [-1]);
    const now = ranks.map(({ segment }) => segment.availableBytes);
    if (i === 9) available = now;
    assert.deepEqual(now, available, `after ${i} rounds`);
  }
});

test("a group whose leader closes first gives its memory back once all have left", async () => {
  for (const keys of [
    [0, 1],
    [1, 0],
  ]) {
    const ranks = localRanks({ ranks: 2 });
    const world = ranks.map((rank) => rank.world);
    const before = ranks.map(({ segment }) => segment.availableBytes);
    const groups = existing(await split(world, (r) => [0, keys[r]!]));
    await Promise.all(groups.map((group) => group.close()));
    await split(world, () => [-1]);
    const after = ranks.map(({ segment }) => segment.availableBytes);
    assert.deepEqual(after, before);
  }
});

test("too little memory on one rank: an error there, its name on the others, nothing is lost", async () => {
  for (const short of [0, 1]) {
    const ranks = localRanks({ ranks: 4 });
    const world = ranks.map((rank) => rank.world);
    const filler = world[short]!.allocate("uint8", 900000);
    const before = ranks.map(({ segment }) => segment.availableBytes);
    const outcomes = await Promise.allSettled(world.map((g) => g.split(g.rank === 3 ? 1 : 0)));
    const errors = outcomes.map((o) => (o.status === "rejected" ? (o.reason as Error) : undefined));
    assert.ok(errors[short] instanceof SegmentFullError, String(errors[short]));
    for (const r of [0, 1, 2].filter((other) => other !== short)) {
      const text = `Cannot make group "world/1.0": rank ${short} has no memory for it`;
      assert.equal(errors[r]!.message, text);
    }
    // The other colour is not concerned.
    const other = (outcomes[3] as PromiseFulfilledResult<LocalGroup>).value;
    await other.close();
    assert.deepEqual(
      ranks.map(({ segment }) => segment.availableBytes),
      before,
    );
    world[short]!.free(filler);
    await assertWorks(existing(await split(world, () => [0])));
  }
});

test("a group that has failed makes no more groups; others live on, and it can be closed", async () => {
  const ranks = localRanks({ ranks: 2 });
  const world = ranks.map((rank) => rank.world);
  const groups = existing(await split(world, () => [0]));
  const children = existing(await split(groups, () => [0]));
  const before = ranks.map(({ segment }) => segment.availableBytes);
  await Promise.all(
    groups.map((g) =>
      assert.rejects(
        g.allreduce(new Float32Array(g.rank + 1), new Float32Array(g.rank + 1)),
        /Mismatch/,
      ),
    ),
  );
  await assert.rejects(groups[0]!.split(0), GroupClosedError);
  assert.throws(() => groups[1]!.subgroupSync([0, 1]), GroupClosedError);
  await assertWorks([...children, ...world]);
  await Promise.all(groups.map((group) => group.close()));
  await assert.rejects(groups[0]!.split(0), TypeError);
  await split(world, () => [-1]);
  ranks.forEach(({ segment }, r) => void assert.ok(segment.availableBytes > before[r]!));
  await assertWorks([...children, ...world]);
});

test("close: a rank that does not come is named, and the group is left all the same", async () => {
  const world = localJob({ ranks: 2, timeoutMs: 60 });
  const groups = existing(await split(world, () => [0]));
  await assert.rejects(groups[0]!.close(), (error: unknown) => {
    assert.ok(error instanceof TimeoutError);
    assert.deepEqual(error.missing, [1]);
    return true;
  });
  await groups[0]!.close();
  assert.throws(() => groups[0]!.barrierStart(), /was closed/);
  await assertWorks(world);
});

test("GLO-1 a rank that left before a group's first operation is named, whatever is asked", async () => {
  const asks: ((group: LocalGroup) => Promise<unknown>)[] = [
    (g) => g.allreduce(new Float32Array(9), new Float32Array(9)),
    (g) => g.reduce(new Float32Array(9), new Float32Array(9)),
    (g) => g.reduceScatter(new Float32Array(9), new Float32Array(3)),
    (g) => g.reduceScatterv(new Float32Array(3), new Float32Array(1), { counts: [1, 1, 1] }),
    (g) => g.broadcast(new Float32Array(9), { root: 2 }),
    (g) => g.allgather(new Float32Array(3), new Float32Array(9)),
    (g) => g.allgatherv(new Float32Array(1), new Float32Array(3), { counts: [1, 1, 1] }),
    (g) => g.gather(new Float32Array(3), new Float32Array(9)),
    (g) => g.gatherv(new Float32Array(1), new Float32Array(3), { counts: [1, 1, 1] }),
    (g) => g.scatter(new Float32Array(9), new Float32Array(3), { root: 2 }),
    (g) => g.scatterv(undefined, new Float32Array(1), { root: 2 }),
    (g) => g.alltoall(new Float32Array(9), new Float32Array(9)),
    (g) => {
      const counts = [1, 1, 1];
      const options = { sendCounts: counts, recvCounts: counts };
      return g.alltoallv(new Float32Array(3), new Float32Array(3), options);
    },
    (g) => g.barrier(),
    (g) => g.recv(new Float32Array(9), { from: 2 }),
    (g) => g.send(new Float32Array(200000), { to: 2 }),
    (g) => g.sendrecv(new Float32Array(9), new Float32Array(9), { to: 2, from: 2 }),
    (g) => g.split(0),
    (g) => g.subgroup([0, 1]),
    (g) => g.close(),
  ];
  for (const [i, ask] of asks.entries()) {
    const ranks = localRanks({ ranks: 3 });
    // In the new group it is rank 2.
    const groups = existing(
      await split(
        ranks.map(({ world }) => world),
        (r) => [0, -r],
      ),
    );
    const { words } = ranks[0]!.segment;
    words[STATUS_OFFSET / 4] = encodeStatus({ kind: "exited", code: 0 });
    await Promise.all(
      groups.slice(1).map((group) =>
        assert.rejects(ask(group), (error: unknown) => {
          assert.ok(error instanceof RankLostError, `case ${i}: ${error}`);
          assert.deepEqual(error.lost, [{ rank: 2, status: { kind: "exited", code: 0 } }]);
          assert.match(error.message, /group "world\/1.0".*rank 2 has exited with code 0/);
          return true;
        }),
      ),
    );
  }
});
