import assert from "node:assert/strict";
import { test } from "node:test";
import { SegmentFullError } from "../../errors/segmentFullError.js";
import { Reclaimers } from "./reclaimers.js";

function full(): SegmentFullError {
  return new SegmentFullError({
    neededBytes: 64,
    availableBytes: 0,
    largestBytes: 0,
    arenaBytes: 4096,
  });
}

test("memory is asked back only when there is too little, and the taking tried once more", () => {
  const reclaimers = new Reclaimers();
  let free = 1;
  let asked = 0;
  const reclaim = () => {
    asked++;
    free++;
  };
  reclaimers.add(reclaim);
  const take = () => {
    if (free === 0) throw full();
    return free--;
  };
  assert.equal(reclaimers.take(take), 1);
  assert.equal(asked, 0);
  assert.equal(reclaimers.take(take), 1);
  assert.equal(asked, 1);
  reclaimers.delete(reclaim);
  assert.throws(() => reclaimers.take(take), SegmentFullError);
  assert.equal(asked, 1);
});

test("other failures are not for want of memory", () => {
  const reclaimers = new Reclaimers();
  reclaimers.add(() => assert.fail("asked"));
  const take = () => {
    throw new RangeError("no number");
  };
  assert.throws(() => reclaimers.take(take), RangeError);
});
