import assert from "node:assert/strict";
import { test } from "node:test";
import { ALGORITHMS, TRANSPORT_KINDS } from "../../schedules/transport/registry.js";
import { planProgram } from "./programPlan.js";

const PLANS = Array.from({ length: 2000 }, (_, seed) => planProgram(seed));

test("a seed has one program", () => {
  for (const plan of PLANS.slice(0, 50)) assert.deepEqual(planProgram(plan.seed), plan);
});

test("programs have all collectives, algorithms, modes and accidents", () => {
  const all = PLANS.flatMap(({ collectives }) => collectives);
  for (const kind of TRANSPORT_KINDS) {
    for (const { name } of ALGORITHMS[kind]) {
      const found = all.filter((one) => one.kind === kind && one.algorithm === name);
      assert.ok(found.some(({ inPlace }) => inPlace) && found.some(({ inPlace }) => !inPlace));
      assert.ok(
        found.some(({ starts }) => starts > 1),
        `${kind} ${name}`,
      );
    }
  }
  const accidents = new Set(PLANS.map(({ accident }) => accident?.kind));
  assert.deepEqual([...accidents].sort(), ["absent", "death", "disconnect", "mismatch", undefined]);
  assert.equal(new Set(PLANS.map(({ mode }) => mode)).size, 3);
  assert.equal(new Set(PLANS.map(({ network }) => network.ranks)).size, 15);
});

test("programs are possible: every place and rank exists, order is asked of those that keep it", () => {
  for (const { network, groups, collectives, accident, windowBytes } of PLANS) {
    assert.ok(network.ranks >= 2 && network.ranks <= 16 && windowBytes >= 1);
    for (const members of groups) {
      assert.equal(new Set(members).size, members.length);
      assert.ok(members.every((rank) => rank >= 0 && rank < network.ranks));
    }
    for (const { group, kind, algorithm, root, operator } of collectives) {
      assert.ok(root < groups[group]!.length);
      const { keepsOrder } = ALGORITHMS[kind].find(({ name }) => name === algorithm)!;
      assert.ok(operator !== "affine" || keepsOrder);
    }
    if (accident?.kind !== "mismatch") continue;
    const { length } = groups[collectives[accident.collective]!.group]!;
    assert.ok(accident.ranks.length >= 1 && accident.ranks.length < length);
  }
});
