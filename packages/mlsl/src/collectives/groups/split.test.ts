import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  checkMembership,
  checkRankList,
  checkSameLists,
  listOf,
  membershipIn,
  membersOf,
} from "./split.js";

const membership = fc.record({ color: fc.integer({ min: -1, max: 3 }), key: fc.integer() });

test("every rank with a colour is in one group, whose ranks agree and are in order", () => {
  fc.assert(
    fc.property(fc.array(membership, { minLength: 1, maxLength: 12 }), (asked) => {
      asked.forEach(({ color }, rank) => {
        const members = membersOf(asked, rank);
        assert.equal(members.includes(rank), color !== -1);
        for (const [i, member] of members.entries()) {
          assert.deepEqual(membersOf(asked, member), members);
          const [a, b] = [asked[members[i - 1] ?? member]!, asked[member]!];
          assert.ok(a.key < b.key || (a.key === b.key && (members[i - 1] ?? member) <= member));
        }
      });
    }),
  );
});

test("a list asks for a group of its ranks in its order, and comes back from places", () => {
  const ranks = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6]);
  fc.assert(
    fc.property(ranks, (list) => {
      const asked = [0, 1, 2, 3, 4, 5, 6].map((rank) => membershipIn(list, rank));
      for (const rank of list) assert.deepEqual(membersOf(asked, rank), list);
      const places = asked.map((_, rank) => list.indexOf(rank));
      assert.deepEqual(listOf(places), list);
      checkRankList(list, 7);
      checkSameLists(asked.map(() => places));
    }),
  );
});

test("what is no colour, key or list is refused", () => {
  for (const color of [0.5, NaN, Infinity, "1"]) {
    assert.throws(() => checkMembership({ color: color as number, key: 0 }), TypeError);
    assert.throws(() => checkMembership({ color: 0, key: color as number }), TypeError);
  }
  assert.throws(() => checkMembership({ color: -2, key: 0 }), RangeError);
  checkMembership({ color: -1, key: -7 });
  for (const list of [[2], [-1], [0.5], [0, 1, 0]]) {
    assert.throws(() => checkRankList(list, 2), RangeError);
  }
  assert.throws(() => checkRankList("01" as unknown as number[], 2), TypeError);
  const different = [
    [0, 1],
    [1, 0],
  ];
  assert.throws(() => checkSameLists(different), /ranks 0 and 1 are to be in it/);
  // Rank 1 is not in its own list, so it is not asked.
  checkSameLists([
    [0, -1],
    [0, -1],
  ]);
});
