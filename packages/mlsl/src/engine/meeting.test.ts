import assert from "node:assert/strict";
import { test } from "node:test";
import { Meeting } from "./meeting.js";

test("a rank alone has met", () => {
  assert.ok(new Meeting(1, 0).isOver);
});

test("nobody is through before all have come, in whatever order messages arrive", () => {
  for (let ranks = 2; ranks <= 9; ranks++) {
    for (let late = 0; late < ranks; late++) {
      const meetings = Array.from({ length: ranks }, (_, rank) => new Meeting(ranks, rank));
      const letters: { to: number; round: number }[] = [];
      const say = (m: Meeting) => letters.push({ to: m.listener, round: m.round });
      const move = (m: Meeting) => {
        while (m.advance()) if (!m.isOver) say(m);
      };
      const deliver = () => {
        // The newest letter first, so that rounds come in the wrong order.
        for (let letter = letters.pop(); letter; letter = letters.pop()) {
          const { to, round } = letter;
          assert.ok(meetings[to]!.expects(round));
          meetings[to]!.hear(round);
          if (to !== late || come) move(meetings[to]!);
        }
      };
      let come = false;
      meetings.forEach((m, rank) => {
        if (rank !== late) say(m);
      });
      deliver();
      for (const m of meetings) assert.equal(m.isOver, false);
      come = true;
      say(meetings[late]!);
      move(meetings[late]!);
      deliver();
      for (const m of meetings) assert.ok(m.isOver);
    }
  }
});

test("tellers and listeners belong together", () => {
  for (const ranks of [2, 3, 5, 8]) {
    for (let rank = 0; rank < ranks; rank++) {
      const meeting = new Meeting(ranks, rank);
      assert.equal(new Meeting(ranks, meeting.listener).awaited, rank);
      assert.equal(meeting.expects(10), false, "there is no such round");
    }
  }
});
