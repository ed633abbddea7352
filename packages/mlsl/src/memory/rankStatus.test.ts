import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTROL_OFFSET, MAX_LOCAL_RANKS, STATUS_OFFSET } from "./layout.js";
import { decodeStatus, encodeStatus, type RankStatus, statusOffset } from "./rankStatus.js";

test("every status survives the way through its word", () => {
  const statuses: RankStatus[] = [{ kind: "running" }];
  for (let code = 0; code < 256; code++) statuses.push({ kind: "exited", code });
  for (let signal = 1; signal <= 64; signal++) statuses.push({ kind: "signalled", signal });
  const words = statuses.map(encodeStatus);
  assert.equal(new Set(words).size, statuses.length);
  assert.deepEqual(words.map(decodeStatus), statuses);
});

test("zeroed memory says that a rank is running", () => {
  assert.deepEqual(decodeStatus(0), { kind: "running" });
});

test("statuses lie side by side in their table", () => {
  assert.equal(statusOffset(0), STATUS_OFFSET);
  assert.ok(statusOffset(MAX_LOCAL_RANKS - 1) + 4 <= CONTROL_OFFSET);
});
