import assert from "node:assert/strict";
import { test } from "node:test";
import { region, ScheduleBuilder } from "./scheduleBuilder.js";

test("ScheduleBuilder keeps the steps in order and leaves out those without elements", () => {
  const builder = new ScheduleBuilder();
  const some = region("recv", 3, 2);
  const none = region("recv", 3, 0);
  for (const part of [none, some]) {
    builder.send(1, part);
    builder.receive(1, part);
    builder.combine(1, part, "before");
    builder.copy(part, part);
  }
  assert.deepEqual(builder.build(7), {
    scratchCount: 7,
    steps: [
      { kind: "send", to: 1, region: some },
      { kind: "receive", from: 1, region: some },
      { kind: "receive", from: 1, region: some, combine: "before" },
      { kind: "copy", from: some, to: some },
    ],
  });
});
