import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../random.js";
import { planProgram } from "./programPlan.js";
import { scriptOf } from "./rankScript.js";

test("a rank opens its groups before it uses them, and posts a name's requests in their order", () => {
  for (let seed = 0; seed < 300; seed++) {
    const plan = planProgram(seed);
    const random = new Random(seed);
    for (const rank of plan.groups[0]!) {
      const { groups, starts, blocking } = scriptOf(plan, rank, random);
      assert.equal(blocking, plan.blocking.includes(rank));
      const lastMs = new Map<string, number>();
      for (const { collective, atMs } of starts) {
        const { group, name } = plan.collectives[collective]!;
        const opened = groups.find((one) => one.group === group)!;
        assert.ok(opened.openMs <= atMs && atMs <= plan.spreadMs, `seed ${seed}`);
        if (opened.upfront) continue;
        const lane = `${group} ${name}`;
        assert.ok((lastMs.get(lane) ?? 0) <= atMs, `seed ${seed}`);
        lastMs.set(lane, atMs);
      }
      const mine = plan.collectives.filter(({ group }) => plan.groups[group]!.includes(rank));
      assert.equal(starts.length, mine.length);
    }
  }
});
