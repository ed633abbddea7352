import assert from "node:assert/strict";
import { test } from "node:test";
import { region } from "../schedules/transport/scheduleBuilder.js";
import type { TransportStep } from "../schedules/transport/steps.js";
import { compile } from "./compile.js";
import { Engine } from "./engine.js";
import type { HelloPart } from "./frames.js";

test("of one request's sends, that of the earliest step leaves first, whenever it became ready", () => {
  const engine = new Engine({ rank: 0, chunkBytes: 64, windowBytes: 1024 });
  const group = engine.openGroup(0, [0, 1, 2]);
  const steps: TransportStep[] = [
    { kind: "copy", from: region("send", 0, 4), to: region("recv", 0, 4) },
    { kind: "send", to: 1, region: region("recv", 0, 4) },
    { kind: "send", to: 2, region: region("send", 0, 4) },
  ];
  const program = compile({ scratchCount: 0, steps }, { elementBytes: 1, chunkBytes: 64 });
  const fingerprint = "of this test";
  const request = engine.post(group, { fingerprint, program, timeoutMs: 1000 });
  engine.start(request, 0);
  // The meeting: rank 2 tells first, then rank 1.
  for (const [round, from] of [2, 1].entries()) {
    const hello: HelloPart = { kind: "hello", group: 0, match: request.match, round, fingerprint };
    assert.equal(engine.nextFrame(0)!.parts[0]!.kind, "hello");
    engine.frameArrived({ from, to: 0, parts: [hello], byteLength: 64, dataBytes: 0 }, 0);
  }
  // The send to rank 2 could go; then the copy is done, and so could the one before it.
  engine.kernelDone(engine.nextKernel(0)!, 0, 0);
  assert.deepEqual([engine.nextFrame(0)?.to, engine.nextFrame(0)?.to], [1, 2]);
});
