import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_WAITING, reductionTree } from "./reductionTree.js";

/** Plays the turns on texts: what is combined with what. */
function play(ranks: number): { text: string; mostWaiting: number } {
  const waiting: string[] = [];
  let mostWaiting = 0;
  for (const { rank, merges } of reductionTree(ranks)) {
    let value = `${rank}`;
    for (let m = 0; m < merges; m++) value = `(${waiting.pop()}+${value})`;
    waiting.push(value);
    mostWaiting = Math.max(mostWaiting, waiting.length);
  }
  assert.equal(waiting.length, 1);
  return { text: waiting[0]!, mostWaiting };
}

/** The definition, literally. */
function define(ranks: readonly number[]): string {
  if (ranks.length === 1) return `${ranks[0]}`;
  const even = ranks.filter((_, i) => i % 2 === 0);
  const odd = ranks.filter((_, i) => i % 2 === 1);
  return `(${define(even)}+${define(odd)})`;
}

test("the turns combine ranks as the definition says, for 1 to 64 ranks", () => {
  for (let ranks = 1; ranks <= 64; ranks++) {
    const { text, mostWaiting } = play(ranks);
    assert.equal(text, define(Array.from({ length: ranks }, (_, rank) => rank)));
    // The last one to wait is the result.
    assert.ok(mostWaiting <= MAX_WAITING + 1, `${mostWaiting} values wait for ${ranks} ranks`);
  }
});

test("the trees of few ranks, written out", () => {
  const texts = [1, 2, 3, 4, 5, 8].map((ranks) => play(ranks).text);
  assert.deepEqual(texts, [
    "0",
    "(0+1)",
    "((0+2)+1)",
    "((0+2)+(1+3))",
    "(((0+4)+2)+(1+3))",
    "(((0+4)+(2+6))+((1+5)+(3+7)))",
  ]);
});
