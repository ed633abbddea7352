import assert from "node:assert/strict";
import { test } from "node:test";
import { TRANSPORT_KINDS } from "../schedules/transport/registry.js";
import { directSchedule } from "./directSchedule.js";
import type { Plan, PlanTables } from "./plan.js";

const FIXED = {
  fingerprint: [0, 0, 0, 0],
  details: "",
  typeCode: 3,
  elementBytes: 4,
  algorithm: "direct",
} as const;

function tablesOf(kind: string, rank: number, ranks: number): PlanTables | undefined {
  if (!kind.endsWith("v")) return undefined;
  const list = (of: (r: number) => number) => Array.from({ length: ranks }, (_, r) => of(r));
  // From a to b go (a + 2 b) % 4 elements, or what b gets of anybody.
  const count = (from: number, to: number) =>
    kind === "reduceScatterv" ? (to * 3) % 5 : (from + 2 * to) % 4;
  return {
    sendCounts: list((to) => count(rank, to)),
    sendOffsets: list((to) => 10 * to),
    recvCounts: list((from) => count(from, rank)),
    recvOffsets: list((from) => 10 * from),
  };
}

function planOf(kind: Plan["kind"], rank: number, ranks: number, count: number): Plan {
  const tables = tablesOf(kind, rank, ranks);
  const root = ranks - 1;
  const plan = { ...FIXED, kind, rank, ranks, root, count };
  return tables === undefined ? plan : { ...plan, count: 0, tables };
}

/** Elements of each message, by sender and receiver, as one side sees them. */
function messages(plans: readonly Plan[], side: "sent" | "taken"): string[] {
  return plans
    .flatMap((plan) =>
      directSchedule(plan).steps.flatMap((step) => {
        if (step.kind === "send" && side === "sent") {
          return [`${plan.rank}→${step.to}: ${step.region.count}`];
        }
        if (side === "sent" || step.kind === "send") return [];
        if (step.kind === "receive") return [`${step.from}→${plan.rank}: ${step.region.count}`];
        return step.kind === "hold" ? [`${step.from}→${plan.rank}: ${step.count}`] : [];
      }),
    )
    .sort();
}

test("what a rank sends is what its receiver takes, for all collectives and 1 to 9 ranks", () => {
  for (const kind of TRANSPORT_KINDS) {
    for (let ranks = 1; ranks <= 9; ranks++) {
      for (const count of [0, 1, 5, 100000]) {
        const plans = Array.from({ length: ranks }, (_, r) => planOf(kind, r, ranks, count));
        const sent = messages(plans, "sent");
        assert.deepEqual(messages(plans, "taken"), sent, `${kind}, ${ranks} ranks, ${count}`);
        if (kind !== "barrier" && ranks > 2 && (count > 0 || kind.endsWith("v"))) {
          assert.ok(sent.length > 0, `${kind} moves something`);
        }
      }
    }
  }
});

test("only a small all-reduce needs scratch: its ranks read a copy", () => {
  assert.equal(directSchedule(planOf("allreduce", 0, 2, 4096)).scratchCount, 4096);
  assert.equal(directSchedule(planOf("allreduce", 0, 2, 4097)).scratchCount, 0);
});
