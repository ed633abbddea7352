/** What real ranks need time for: waiting, memory that must not grow, and ranks that leave groups. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FORMS, job, type Outcome, texts } from "./jobRun.js";

/** The numbers that ranks print, by what stands before them. */
function numbersOf({ lines }: Outcome, name: string): number[] {
  const found = lines.map(({ text }) => new RegExp(`^${name} (-?[\\d.]+)$`).exec(text)?.[1]);
  return found.filter((text) => text !== undefined).map(Number);
}

test("X-7 ranks that wait use next to no time of the cores that they share", async () => {
  const outcome = await job("parkedMain", { ranks: 4, form: "processes" });
  assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
  for (const way of ["blocked", "promised"]) {
    const percent = numbersOf(outcome, way);
    assert.equal(percent.length, 3, texts(outcome).join("\n"));
    for (const value of percent) assert.ok(value < 5, `${way}: ${value} % of a core`);
  }
});

test("HVD-10 collectives, messages and groups by the thousands take no more memory", async () => {
  // A young generation of one size: otherwise V8 may enlarge it in every period, by 100 MiB in all.
  const nodeArgs = ["--expose-gc", "--max-semi-space-size=1"];
  const outcome = await job("constantMain", { ranks: 2, form: "processes", nodeArgs });
  assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
  const grown = numbersOf(outcome, "grown MiB");
  assert.equal(grown.length, 2, texts(outcome).join("\n"));
  for (const mib of grown) assert.ok(mib < 5, `grown by ${mib} MiB`);
  assert.deepEqual(numbersOf(outcome, "more descriptors"), [0, 0]);
});

for (const form of FORMS) {
  test(`GLO-1 a group is made, a rank leaves: all that others ask for names it, ${form}`, async () => {
    const outcome = await job("leaverMain", { ranks: 3, form });
    const said = texts(outcome).filter((text) => text.includes("stdout"));
    const expected = [1, 2].flatMap((r) =>
      ["allreduce", "recv", "send"].map((what) => `${r} stdout ${what}: RankLostError of rank 0`),
    );
    assert.deepEqual(said, expected.sort(), texts(outcome).join("\n"));
  });

  test(`split in worker threads; colour −1 gets none: CCL #214, ${form}`, async () => {
    const outcome = await job("splitMain", { ranks: 3, form });
    assert.equal(outcome.exitCode, 0, texts(outcome).join("\n"));
    assert.deepEqual(texts(outcome), [
      "0 stdout rank 1 of 2",
      "1 stdout no group",
      "2 stdout rank 0 of 2",
    ]);
  });
}
