/** Ranks that ask for different things: all hear of it, nobody's data changes, others go on. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupClosedError, MismatchError } from "../../errors/communicationErrors.js";
import { rankList } from "../../errors/rankList.js";
import { Random } from "../../simulation/random.js";
import { completeAll, KERNELS, localJob } from "../../testing/localJob.js";
import { defineOperator } from "../operations/operators.js";
import type { Request } from "../requests/requests.js";
import type { LocalGroup } from "./localGroup.js";

/** Elements of buffers that are staged in many chunks; the operations below take parts of them. */
const MANY = 40000;

/** A rank's own arrays: 1 in all of send, 2 in all of recv. */
interface Arrays {
  readonly send: Float32Array;
  readonly recv: Float32Array;
}

/** What a rank asks for. */
type Ask = (group: LocalGroup, arrays: Arrays) => Request;

function newArrays(group: LocalGroup, inside: boolean): Arrays {
  const make = (value: number): Float32Array =>
    (inside ? group.allocate("float32", MANY) : new Float32Array(MANY)).fill(value);
  return { send: make(1), recv: make(2) };
}

/** The failure of each rank's request, looked for in random order. */
function failuresOf(requests: readonly Request[], random: Random): MismatchError[] {
  const failures = new Map<number, MismatchError>();
  for (let turn = 0; failures.size < requests.length; turn++) {
    assert.ok(turn < 10000, `${requests.length - failures.size} ranks have noticed nothing`);
    const rank = random.below(requests.length);
    try {
      assert.equal(requests[rank]!.test(), false, "completed in spite of the mismatch");
    } catch (error) {
      assert.ok(error instanceof MismatchError, String(error));
      assert.equal(error.code, "MLSL_MISMATCH");
      assert.equal(error.rank, rank);
      failures.set(rank, error);
    }
  }
  return requests.map((_, rank) => failures.get(rank)!);
}

/**
 * Rank `odd` of 3 asks for something else than the others; returns the errors of all ranks. Checks
 * that no data has changed, that the group is closed and that another of the same ranks still works.
 */
async function mismatch(ask: Ask, oddAsk: Ask, odd: number): Promise<MismatchError[]> {
  const random = new Random(odd + 1);
  const world = localJob({ ranks: 3, kernels: KERNELS[odd % 2]! });
  const others = await Promise.all(world.map((group) => group.split(0)));
  const arrays = world.map((group) => newArrays(group, random.below(2) === 0));
  const requests = world.map((group, r) => (r === odd ? oddAsk : ask)(group, arrays[r]!));
  const errors = failuresOf(requests, random);
  for (const { send, recv } of arrays) {
    assert.ok(send.every((value) => value === 1) && recv.every((value) => value === 2));
  }
  for (const group of world) {
    assert.throws(
      () => group.barrierStart(),
      (error: unknown) => error instanceof GroupClosedError && error.cause instanceof MismatchError,
    );
  }
  completeAll(
    others.map((group, r) => group!.allreduceStart(arrays[r]!.send, arrays[r]!.recv)),
    random,
  );
  for (const { recv } of arrays) assert.ok(recv.every((value) => value === 3));
  return errors;
}

function bytesIn({ buffer, byteOffset }: Float32Array, count: number): Int32Array {
  return new Int32Array(buffer, byteOffset, count);
}

const SAME = defineOperator("same name", () => {});
const OTHER = defineOperator("other name", () => {});

/** What the two sides ask for, and how the error calls it. */
const FIELDS: readonly (readonly [field: string, Ask, string, Ask, string])[] = [
  [
    "kind",
    (g, { send }) => g.allreduceStart(send, send),
    `allreduce sum of ${MANY} float32`,
    (g, { send }) => g.broadcastStart(send),
    `broadcast of ${MANY} float32 from rank 0`,
  ],
  [
    "kind, barrier",
    (g) => g.barrierStart(),
    "barrier",
    (g, { send }) => g.allgatherStart(send.subarray(0, 3), new Float32Array(9)),
    "allgather of 3 float32 per rank",
  ],
  [
    "kind, of blocks with counts of their own",
    (g, { send, recv }) => g.allgathervStart(send.subarray(0, 1), recv, { counts: [1, 1, 1] }),
    "allgatherv of float32",
    (g, { send, recv }) =>
      g.alltoallvStart(send, recv, { sendCounts: [1, 1, 1], recvCounts: [1, 1, 1] }),
    "alltoallv of float32",
  ],
  [
    "type, of the same bytes",
    (g, { send, recv }) => g.allreduceStart(send, recv),
    `allreduce sum of ${MANY} float32`,
    (g, { send, recv }) => g.allreduceStart(bytesIn(send, MANY), bytesIn(recv, MANY)),
    `allreduce sum of ${MANY} int32`,
  ],
  [
    "count",
    (g, { send, recv }) => g.allreduceStart(send.subarray(0, 6400), recv.subarray(0, 6400)),
    "allreduce sum of 6400 float32",
    (g, { send, recv }) => g.allreduceStart(send.subarray(0, 3200), recv.subarray(0, 3200)),
    "allreduce sum of 3200 float32",
  ],
  [
    "count, of blocks",
    (g, { send, recv }) => g.reduceScatterStart(send.subarray(0, 12), recv.subarray(0, 4)),
    "reduceScatter sum of 4 float32 per rank",
    (g, { send, recv }) => g.reduceScatterStart(send.subarray(0, 9), recv.subarray(0, 3)),
    "reduceScatter sum of 3 float32 per rank",
  ],
  [
    "count, nothing",
    (g, { send, recv }) => g.alltoallStart(send.subarray(0, 3), recv.subarray(0, 3)),
    "alltoall of 1 float32 per rank",
    (g, { send, recv }) => g.alltoallStart(send.subarray(0, 0), recv.subarray(0, 0)),
    "alltoall of 0 float32 per rank",
  ],
  [
    "operator",
    (g, { send, recv }) => g.reduceStart(send, recv, { op: "min" }),
    `reduce min of ${MANY} float32 to rank 0`,
    (g, { send, recv }) => g.reduceStart(send, recv, { op: "max" }),
    `reduce max of ${MANY} float32 to rank 0`,
  ],
  [
    "operator, rounding",
    (g, { send }) =>
      g.allreduceStart(bytesIn(send, 5), new Int32Array(5), { op: "average", rounding: "floor" }),
    "allreduce average (rounding floor) of 5 int32",
    (g, { send }) =>
      g.allreduceStart(bytesIn(send, 5), new Int32Array(5), { op: "average", rounding: "nearest" }),
    "allreduce average (rounding nearest) of 5 int32",
  ],
  [
    "operator, overflow",
    (g, { send }) => g.allreduceStart(bytesIn(send, 5), new Int32Array(5)),
    "allreduce sum of 5 int32",
    (g, { send }) =>
      g.allreduceStart(bytesIn(send, 5), new Int32Array(5), { overflow: "saturate" }),
    "allreduce sum (overflow saturate) of 5 int32",
  ],
  [
    "root",
    (g, { send, recv }) => g.gatherStart(send.subarray(0, 2), recv.subarray(0, 6), { root: 1 }),
    "gather of 2 float32 per rank to rank 1",
    (g, { send, recv }) => g.gatherStart(send.subarray(0, 2), recv.subarray(0, 6), { root: 2 }),
    "gather of 2 float32 per rank to rank 2",
  ],
  [
    "root, of blocks with counts of their own",
    (g, { send, recv }) =>
      g.scattervStart(send, recv.subarray(0, 2), { counts: [2, 2, 2], root: 1 }),
    "scatterv of float32 from rank 1",
    (g, { send, recv }) =>
      g.scattervStart(send, recv.subarray(0, 2), { counts: [2, 2, 2], root: 0 }),
    "scatterv of float32 from rank 0",
  ],
  [
    "preScale",
    (g, { send, recv }) => g.allreduceStart(send, recv, { preScale: 0.5 }),
    `allreduce sum of ${MANY} float32 (sum with preScale 0.5 and postScale 1)`,
    (g, { send, recv }) => g.allreduceStart(send, recv, { preScale: 0.25 }),
    `allreduce sum of ${MANY} float32 (sum with preScale 0.25 and postScale 1)`,
  ],
  [
    "postScale, of one side only",
    (g, { send, recv }) => g.allreduceStart(send, recv, { op: "average" }),
    `allreduce average of ${MANY} float32`,
    (g, { send, recv }) => g.allreduceStart(send, recv, { op: "average", postScale: -0 }),
    `allreduce average of ${MANY} float32 (average with preScale 1 and postScale -0)`,
  ],
  [
    "name of the user's operator",
    (g, { send, recv }) => g.allreduceStart(send, recv, { op: SAME }),
    `allreduce by the user's operator of ${MANY} float32 (operator "same name")`,
    (g, { send, recv }) => g.allreduceStart(send, recv, { op: OTHER }),
    `allreduce by the user's operator of ${MANY} float32 (operator "other name")`,
  ],
];

for (const [field, ask, text, oddAsk, oddText] of FIELDS) {
  test(`HVD-3 GLO-4 NCC-2 another ${field} is an error that says so, on every rank`, async () => {
    for (const odd of [0, 1, 2]) {
      const errors = await mismatch(ask, oddAsk, odd);
      const requested = [0, 1, 2].map((rank) => (rank === odd ? oddText : text));
      const others = [0, 1, 2].filter((rank) => rank !== odd);
      errors.forEach((error, rank) => {
        assert.deepEqual(error.requested, requested);
        assert.equal(error.operation, requested[rank]);
        // The making of the other group has taken two operations.
        const where = `Mismatch at rank ${rank}, group "world", operation 3 (${requested[rank]}): `;
        const sides = `rank ${odd} asked for ${oddText}; ${rankList(others)} asked for ${text}`;
        assert.equal(error.message, where + sides);
      });
    }
  });
}

test("NCC-1 GLO-4 counts that differ by little or much are an error before data is written", () => {
  for (const [a, b] of [
    [4096, 327680],
    [4096, 4094],
    [256, 512],
    [1, 2],
    [0, 1],
  ] as const) {
    const world = localJob({ ranks: 2 });
    const arrays = [new Float32Array(a).fill(1), new Float32Array(b).fill(2)];
    const requests = world.map((group, r) => group.allreduceStart(arrays[r]!, arrays[r]!));
    for (const error of failuresOf(requests, new Random(a))) {
      assert.deepEqual(error.requested, [
        `allreduce sum of ${a} float32`,
        `allreduce sum of ${b} float32`,
      ]);
    }
    assert.ok(arrays.every((array, r) => array.every((value) => value === r + 1)));
  }
});

test("NCC-2 the stack of an error of a blocking call leads to the call", () => {
  const world = localJob({ ranks: 2 });
  const send = new Float32Array(8);
  world[1]!.allreduceStart(send, send, { op: "max" }).test();
  assert.throws(
    () => world[0]!.allreduceSync(send, send),
    (error: unknown) => error instanceof MismatchError && /mismatch\.test/.test(error.stack ?? ""),
  );
});

/** Counts that do not fit each other, and the pairs that the error names. */
const PAIRS: readonly (readonly [kind: string, Ask, Ask, odd: number, pairs: string])[] = [
  [
    "alltoallv",
    (g, { send, recv }) =>
      g.alltoallvStart(send, recv, {
        sendCounts: [5, 5, 5],
        recvCounts: g.rank === 1 ? [6, 5, 5] : [5, 5, 5],
      }),
    (g, { send, recv }) =>
      g.alltoallvStart(send, recv, { sendCounts: [5, 7, 5], recvCounts: [5, 5, 5] }),
    0,
    "0→1: 7 sent, 6 expected",
  ],
  [
    "allgatherv",
    (g, { send, recv }) => g.allgathervStart(send.subarray(0, 3), recv, { counts: [3, 3, 3] }),
    (g, { send, recv }) => g.allgathervStart(send.subarray(0, 3), recv, { counts: [3, 3, 9000] }),
    1,
    "2→1: 3 sent, 9000 expected",
  ],
  [
    "gatherv",
    (g, { send, recv }) => g.gathervStart(send.subarray(0, 3), recv, { counts: [3, 3, 3] }),
    (g, { send, recv }) => g.gathervStart(send.subarray(0, 4), recv),
    2,
    "2→0: 4 sent, 3 expected",
  ],
  [
    "scatterv",
    (g, { send, recv }) => g.scattervStart(send, recv.subarray(0, 3), { counts: [3, 3, 3] }),
    (g, { recv }) => g.scattervStart(undefined, recv.subarray(0, 0)),
    1,
    "0→1: 3 sent, 0 expected",
  ],
  [
    "reduceScatterv",
    (g, { send, recv }) => g.reduceScattervStart(send, recv.subarray(0, 3), { counts: [3, 3, 3] }),
    (g, { send, recv }) => g.reduceScattervStart(send, recv.subarray(0, 3), { counts: [2, 3, 3] }),
    2,
    "2→0: 2 sent, 3 expected",
  ],
];

for (const [kind, ask, oddAsk, odd, pairs] of PAIRS) {
  test(`GLO-5 counts of ${kind} that do not fit each other are named by their pair`, async () => {
    const errors = await mismatch(ask, oddAsk, odd);
    for (const error of errors) {
      assert.deepEqual(error.requested, []);
      assert.ok(error.message.endsWith(`: ${pairs}`), error.message);
      assert.match(error.message, new RegExp(`operation 3 \\(${kind} `));
    }
  });
}

test("GLO-5 of many pairs that do not agree an error names eight", () => {
  const world = localJob({ ranks: 4 });
  const [send, recv] = [new Float32Array(4), new Float32Array(8)];
  const requests = world.map((group) =>
    group.alltoallvStart(send, recv, { sendCounts: [1, 1, 1, 1], recvCounts: [2, 2, 2, 2] }),
  );
  for (const { message } of failuresOf(requests, new Random(4))) {
    assert.equal(message.match(/1 sent, 2 expected/g)?.length, 8);
    assert.match(message, /; 8 more pairs$/);
  }
});
