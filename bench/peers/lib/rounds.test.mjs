import assert from "node:assert/strict";
import { test } from "node:test";
import { listRuns } from "./rounds.mjs";

const PEERS = [{ name: "a" }, { name: "b" }, { name: "c" }];
const text = ({ round, ranks, op, peer }) => `${round} ${ranks} ${op} ${peer.name}`;

test("peers take turns within an operation, and another begins each round", () => {
  const plan = { rounds: 2, ranks: [2], ops: ["x", "y"] };
  assert.deepEqual(listRuns(PEERS, plan, () => true).map(text), [
    ...["1 2 x a", "1 2 x b", "1 2 x c", "1 2 y a", "1 2 y b", "1 2 y c"],
    ...["2 2 x b", "2 2 x c", "2 2 x a", "2 2 y b", "2 2 y c", "2 2 y a"],
  ]);
});

test("a peer that does not know an operation, or so many ranks, is left out", () => {
  const plan = { rounds: 1, ranks: [2, 4], ops: ["x", "y"] };
  const knows = ({ name }, op, ranks) => (name === "a" ? op === "x" : ranks === 2);
  assert.deepEqual(listRuns(PEERS, plan, knows).map(text), [
    ...["1 2 x a", "1 2 x b", "1 2 x c", "1 2 y b", "1 2 y c"],
    "1 4 x a",
  ]);
});
