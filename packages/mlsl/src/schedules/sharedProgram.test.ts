import assert from "node:assert/strict";
import { test } from "node:test";
import { type BufferAddresses, SharedPrograms } from "./sharedProgram.js";
import type { TransportSchedule, TransportStep } from "./transport/steps.js";

function schedules(...steps: TransportStep[][]): TransportSchedule[] {
  return steps.map((list) => ({ scratchCount: 0, steps: list }));
}

function region(buffer: "send" | "recv", offset: number, count: number) {
  return { buffer, offset, count };
}

/** Ranks 1000 bytes apart, recv 500 behind send. */
function addresses(ranks: number): BufferAddresses[] {
  return Array.from({ length: ranks }, (_, r) => ({
    send: 1000 * r,
    recv: 1000 * r + 500,
    scratch: 1000 * r + 900,
  }));
}

test("a receive reads at the sender's region once the sender has come to its send", () => {
  const programs = new SharedPrograms(
    schedules(
      [
        { kind: "copy", from: region("send", 0, 4), to: region("recv", 2, 4) },
        { kind: "send", to: 1, region: region("recv", 2, 4) },
      ],
      [{ kind: "receive", from: 0, region: region("recv", 0, 4), combine: "before" }],
    ),
    addresses(2),
    4,
  );
  assert.equal(programs.longest, 2);
  assert.deepEqual(programs.programOf(0), [
    { waits: [], action: "copy", source: 0, target: 508, byteLength: 16 },
    { waits: [], action: "none", source: 0, target: 0, byteLength: 0 },
  ]);
  const waits = [{ rank: 0, steps: 1 }];
  assert.deepEqual(programs.programOf(1), [
    { waits, action: "before", source: 508, target: 1500, byteLength: 16 },
  ]);
});

test("messages match in their order, and writes wait for those who still read", () => {
  const programs = new SharedPrograms(
    schedules(
      [
        { kind: "send", to: 1, region: region("recv", 0, 2) },
        { kind: "send", to: 1, region: region("recv", 2, 2) },
        { kind: "receive", from: 1, region: region("recv", 3, 2) },
      ],
      [
        { kind: "receive", from: 0, region: region("recv", 0, 2) },
        { kind: "receive", from: 0, region: region("recv", 2, 2) },
        { kind: "send", to: 0, region: region("recv", 0, 2) },
      ],
    ),
    addresses(2),
    8,
  );
  const [, second] = programs.programOf(1);
  assert.deepEqual(second!.waits, [{ rank: 0, steps: 1 }]);
  // Rank 0 overwrites element 3, which rank 1 reads at its second step; elements 0 and 1 it does not.
  assert.deepEqual(programs.programOf(0)[2]!.waits, [
    { rank: 1, steps: 2 },
    { rank: 1, steps: 2 },
  ]);
});

test("a copy onto itself, as in place, is left out", () => {
  const place = [{ send: 0, recv: 8, scratch: 0 }];
  const copy = { kind: "copy", from: region("send", 2, 1), to: region("recv", 0, 1) } as const;
  const [step] = new SharedPrograms(schedules([copy]), place, 4).programOf(0);
  assert.equal(step!.action, "none");
});

test("X-3 addresses are exact beyond 32 bits", () => {
  const count = 3 * 2 ** 30;
  const programs = new SharedPrograms(
    schedules(
      [{ kind: "send", to: 1, region: region("send", count, 1) }],
      [{ kind: "receive", from: 0, region: region("recv", 2 * count, 1) }],
    ),
    addresses(2),
    8,
  );
  const [step] = programs.programOf(1);
  assert.equal(step!.source, 8 * count);
  assert.equal(step!.target, 1500 + 16 * count);
});
