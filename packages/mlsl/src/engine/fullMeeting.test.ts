import assert from "node:assert/strict";
import { test } from "node:test";
import { FullMeeting } from "./fullMeeting.js";

test("a meeting is over when all have told, and knows who has not", () => {
  const meeting = new FullMeeting(3, 1, "sum");
  assert.deepEqual(meeting.missing, [0, 2]);
  assert.ok(meeting.hear(2, "sum"));
  assert.equal(meeting.isOver, false);
  assert.equal(meeting.hear(2, "sum"), false, "nobody tells twice");
  assert.ok(meeting.hear(0, "sum"));
  assert.ok(meeting.isOver && meeting.agree);
});

test("who asks for something else is known when all have told", () => {
  const meeting = new FullMeeting(2, 0, "sum");
  meeting.hear(1, "max");
  assert.equal(meeting.agree, false);
  assert.deepEqual(meeting.asked, [
    { rank: 0, fingerprint: "sum" },
    { rank: 1, fingerprint: "max" },
  ]);
});

test("a rank alone has met", () => {
  assert.ok(new FullMeeting(1, 0, "sum").isOver);
});
