import assert from "node:assert/strict";
import { test } from "node:test";
import { KIND_INFO, reduces } from "./kinds.js";

test("collectives combine where their name says so, and come with counts of their own alike", () => {
  for (const [kind, { pattern, perRank }] of Object.entries(KIND_INFO)) {
    assert.equal(reduces(pattern), /reduce/i.test(kind), kind);
    const uniform = kind.replace(/v$/, "") as keyof typeof KIND_INFO;
    assert.deepEqual({ pattern, perRank }, KIND_INFO[uniform], kind);
  }
});
