import assert from "node:assert/strict";
import { test } from "node:test";
import type { Group } from "../collectives/api.js";
import { callForms } from "./calls.js";
import { BENCH_OPS } from "./ops.js";
import { shapeFor } from "./shape.js";

/** A group that tells which of its methods are called, and with what options. */
function recordingGroup(): { group: Group; calls: [name: string, options: object][] } {
  const calls: [string, object][] = [];
  const group = new Proxy({ rank: 1, ranks: 3 } as unknown as Group, {
    get: (target, name) =>
      name in target
        ? Reflect.get(target, name)
        : (...args: object[]) => calls.push([String(name), args.at(-1)!]),
  });
  return { group, calls };
}

test("every operation is called by its own name in both forms, with the same options", () => {
  for (const op of BENCH_OPS) {
    const { group, calls } = recordingGroup();
    const point = { op, type: "int8", operator: "average", algorithm: "ring", bytes: 60 } as const;
    const forms = callForms(
      group,
      point,
      { send: undefined, recv: undefined },
      shapeFor(op, 60, group),
    );
    forms.sync();
    forms.persistent();
    assert.deepEqual(
      calls.map(([name]) => name),
      [`${op}Sync`, `${op}Persistent`],
    );
    assert.equal(calls[0]![1], calls[1]![1]);
    const { algorithm, rounding, to, from } = calls[0]![1] as Record<string, unknown>;
    assert.deepEqual(
      { algorithm, rounding, to, from },
      { algorithm: "ring", rounding: "floor", to: 2, from: 0 },
    );
  }
});

test("what was not asked for is not passed on", () => {
  const { group, calls } = recordingGroup();
  const point = { op: "allreduce", type: "int8", bytes: 60 } as const;
  const shape = shapeFor("allreduce", 60, group);
  const nothing = { operator: undefined, algorithm: undefined };
  callForms(group, { ...point, ...nothing }, { send: undefined, recv: undefined }, shape).sync();
  assert.ok(!("algorithm" in calls[0]![1]) && !("rounding" in calls[0]![1]));
});
