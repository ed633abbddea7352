/** Requests that are posted again when they are over, by a driver that numbers them itself. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { EngineWire } from "../testing/engineWire.js";
import type { EngineRequest } from "./request.js";

const SPEC = { count: 100, reposted: true } as const;

for (const tellsAll of [false, true]) {
  const how = tellsAll ? "all at once" : "in rounds";

  test(`a request that is over serves again under other matches; ranks meet ${how}`, () => {
    const wire = new EngineWire(3, { tellsAll });
    const requests = [0, 1, 2].map((rank) => wire.allreduce(rank, { ...SPEC, match: 0 }));
    wire.run();
    const [first] = requests as [EngineRequest];
    const part = first.partOf(0);
    for (let match = 1; match < 50; match++) {
      requests.forEach((request, rank) => {
        assert.equal(request.state, "done", `match ${match - 1} on rank ${rank}`);
        wire.engines[rank]!.repost(request, match);
        wire.engines[rank]!.start(request, wire.nowMs);
      });
      wire.run();
    }
    assert.equal(wire.settled.length, 3 * 50);
    assert.equal(first.partOf(0), part, "chunks are not made anew");
    assert.equal(part.match, 49);
    for (const { contents } of wire.engines) {
      assert.deepEqual(contents, { groups: 1, posted: 0, held: 0, queued: 0, inFlightBytes: 0 });
    }
  });

  test(`each start is compared with those of the others again; ranks meet ${how}`, () => {
    const wire = new EngineWire(2, { tellsAll });
    const request = wire.allreduce(0, { ...SPEC, match: 0 });
    wire.allreduce(1, { ...SPEC, match: 0 });
    wire.run();
    wire.engines[0]!.repost(request, 1);
    wire.engines[0]!.start(request, wire.nowMs);
    wire.allreduce(1, { ...SPEC, count: 99, match: 1 });
    wire.run();
    for (const { failure } of wire.worlds) assert.equal(failure?.kind, "mismatch");
  });
}

test("a request that is under way cannot be posted again", () => {
  const wire = new EngineWire(2);
  const request = wire.allreduce(0, { ...SPEC, match: 7 });
  assert.throws(
    () => wire.engines[0]!.repost(request, 8),
    /Cannot repost request 7: it is under way/,
  );
});

test("a driver that has done with frames gets the same one each time", () => {
  const wire = new EngineWire(2, { tellsAll: true, reusesObjects: true });
  wire.allreduce(0, { ...SPEC, match: 0 });
  const frame = wire.engines[0]!.nextFrame(0)!;
  assert.equal(frame.parts.length, 1);
  wire.allreduce(0, { ...SPEC, match: 1 });
  assert.equal(wire.engines[0]!.nextFrame(0), frame);
  assert.equal(frame.parts.length, 1);
});
