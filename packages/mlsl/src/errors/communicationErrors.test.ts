import assert from "node:assert/strict";
import { test } from "node:test";
import { GroupClosedError, MismatchError, RankLostError } from "./communicationErrors.js";

const PLACE = { group: "world", rank: 0, operation: "barrier", sequence: 7 };

test("MismatchError puts the minority first", () => {
  const { message } = new MismatchError(PLACE, ["barrier", "barrier", "allgather", "barrier"]);
  assert.equal(
    message,
    'Mismatch at rank 0, group "world", operation 7 (barrier): ' +
      "rank 2 asked for allgather; ranks 0-1, 3 asked for barrier",
  );
});

test("RankLostError tells how each rank ended", () => {
  const { message } = new RankLostError(PLACE, [
    { rank: 1, status: { kind: "exited", code: 0 } },
    { rank: 3, status: { kind: "signalled", signal: 9 } },
  ]);
  assert.match(message, /rank 1 has exited with code 0; rank 3 was ended by signal 9 without/);
});

test("GroupClosedError carries the failure that closed the group", () => {
  const cause = new Error("first");
  const error = new GroupClosedError(PLACE, cause);
  assert.equal(error.cause, cause);
  assert.match(error.message, /closed by an earlier failure: first$/);
});
