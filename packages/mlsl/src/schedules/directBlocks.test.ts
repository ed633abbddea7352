import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { DirectPattern } from "./direct.js";
import {
  disagreements,
  ownBlocks,
  type RankTables,
  uniformBlocks,
  variableBlocks,
} from "./directBlocks.js";

/** 3 × 2³⁰ elements of 8 bytes: 24 GiB, beyond every 32-bit number. */
const MANY = 3 * 2 ** 30;

function uniform(pattern: DirectPattern, perRank: boolean, rank: number) {
  return uniformBlocks({ pattern, rank, ranks: 3, perRank, blockBytes: 8 * MANY });
}

test("X-3 blocks of 3 × 2³⁰ elements lie where they should, to the byte", () => {
  const block = 25769803776;
  const alltoall = uniform("fetchAll", true, 2);
  assert.deepEqual(
    alltoall.own.map(({ at }) => at),
    [0, block, 2 * block],
  );
  assert.deepEqual(
    alltoall.fetches,
    [0, 1, 2].map((from) => {
      return { source: 2 * block, target: from * block, byteLength: block };
    }),
  );
  assert.deepEqual([alltoall.slot, alltoall.slots, alltoall.longest], [2, 3, block]);
  const allgather = uniform("fetchAll", false, 1);
  assert.deepEqual(allgather.own, [{ at: 0, byteLength: block }]);
  assert.deepEqual(allgather.fetches[2], { source: 0, target: 2 * block, byteLength: block });
  const scatter = uniform("fetchFromRoot", true, 1);
  assert.deepEqual(scatter.fetches[0], { source: block, target: 0, byteLength: block });
});

/** Tables of all ranks in which everything fits: counts[from][to], blocks one after the other. */
function tablesOf(counts: readonly (readonly number[])[]): RankTables[] {
  const places = (numbers: readonly number[]) =>
    numbers.map((_, i) => numbers.slice(0, i).reduce((a, b) => a + b, 0));
  return counts.map((sendCounts, rank) => {
    const recvCounts = counts.map((row) => row[rank]!);
    const [sendOffsets, recvOffsets] = [places(sendCounts), places(recvCounts)];
    return { sendCounts, sendOffsets, recvCounts, recvOffsets };
  });
}

test("X-3 blocks of their own counts lie where the tables of both sides say", () => {
  const tables = tablesOf([
    [1, MANY, 2],
    [MANY, 0, 5],
    [7, 3, MANY],
  ]);
  const shape = { rank: 2, perRank: true, elementBytes: 8 };
  const { own, fetches, longest, slot, slots } = variableBlocks(tables, shape);
  assert.deepEqual(own, [
    { at: 0, byteLength: 56 },
    { at: 56, byteLength: 24 },
    { at: 80, byteLength: 8 * MANY },
  ]);
  assert.deepEqual(fetches, [
    { source: 8 * (1 + MANY), target: 0, byteLength: 16 },
    { source: 8 * MANY, target: 16, byteLength: 40 },
    { source: 80, target: 56, byteLength: 8 * MANY },
  ]);
  assert.deepEqual([longest, slot, slots], [8 * MANY, 2, 3]);
});

test("a block that is the same for all is staged once, as long as anybody wants it", () => {
  const table = {
    sendCounts: [0, 4, 0],
    sendOffsets: [0, 0, 0],
    recvCounts: [0, 0, 0],
    recvOffsets: [0, 0, 0],
  };
  const shape = { rank: 0, perRank: false, elementBytes: 2 };
  assert.deepEqual(ownBlocks(table, shape), [{ at: 0, byteLength: 8 }]);
});

test("the pairs that disagree are found, all and only they", () => {
  const matrix = fc.array(fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }), {
    minLength: 4,
    maxLength: 4,
  });
  fc.assert(
    fc.property(matrix, matrix, (sent, expected) => {
      const tables = tablesOf(sent).map((table, rank) => {
        return { ...table, recvCounts: expected.map((row) => row[rank]!) };
      });
      const found = disagreements(tables);
      sent.forEach((row, from) => {
        row.forEach((count, to) => {
          const pair = found.find((one) => one.from === from && one.to === to);
          const wanted = expected[from]![to]!;
          if (count === wanted) assert.equal(pair, undefined);
          else assert.deepEqual(pair, { from, to, sent: count, expected: wanted });
        });
      });
    }),
  );
  assert.deepEqual(
    disagreements(
      tablesOf([
        [1, 2],
        [3, 4],
      ]),
    ),
    [],
  );
});
