import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ceilLog2,
  foldOf,
  guestOf,
  memberOf,
  partnerOf,
  powerOfTwoBelow,
  rankOfMember,
} from "./fold.js";

test("a fold has a power of two of members, in order, and a keeper for each guest", () => {
  for (let ranks = 1; ranks <= 130; ranks++) {
    const fold = foldOf(ranks);
    assert.ok(fold.size <= ranks && 2 * fold.size > ranks);
    const members = Array.from({ length: fold.size }, (_, member) => rankOfMember(fold, member));
    const guests = members.map((rank) => guestOf(fold, rank)).filter((one) => one !== undefined);
    assert.deepEqual(
      members,
      members.toSorted((a, b) => a - b),
    );
    assert.deepEqual(
      [...members, ...guests].sort((a, b) => a - b),
      Array.from({ length: ranks }, (_, rank) => rank),
    );
    members.forEach((rank, member) => {
      assert.equal(memberOf(fold, rank), member);
    });
    for (const guest of guests) assert.equal(memberOf(fold, guest), undefined);
    assert.equal(rankOfMember(fold, fold.size), ranks);
  }
});

test("partnerOf pairs members across the middle of their group", () => {
  for (const distance of [1, 2, 4, 8]) {
    for (let member = 0; member < 16; member++) {
      const { partner, above } = partnerOf(member, distance);
      assert.equal(Math.abs(partner - member), distance);
      assert.equal(partnerOf(partner, distance).partner, member);
      assert.equal(above, partner < member);
      const group = 2 * distance;
      assert.equal(Math.floor(partner / group), Math.floor(member / group));
    }
  }
});

test("ceilLog2 and powerOfTwoBelow bracket every number", () => {
  for (let value = 1; value <= 1024; value++) {
    assert.ok(2 ** ceilLog2(value) >= value && 2 ** (ceilLog2(value) - 1) < value);
    assert.ok(powerOfTwoBelow(value) <= value && 2 * powerOfTwoBelow(value) > value);
  }
});
