import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSchedule } from "../schedules/transport/registry.js";
import { region, ScheduleBuilder } from "../schedules/transport/scheduleBuilder.js";
import { compile } from "./compile.js";
import { OP_BEFORE, OP_COPY, OP_RECEIVE, OP_SEND, type Program } from "./program.js";

/** The operations that must be complete before one. */
function needs({ nextStarts, next }: Program, op: number): number[] {
  const found: number[] = [];
  for (let other = 0; other < nextStarts.length - 1; other++) {
    if (next.slice(nextStarts[other], nextStarts[other + 1]).includes(op)) found.push(other);
  }
  return found;
}

/** What every program must keep: it can be run through, and says the same in two ways. */
function checkShape(program: Program): void {
  const total = program.kinds.length;
  for (let op = 0; op < total; op++) {
    const before = needs(program, op);
    assert.equal(program.waits[op], before.length);
    for (const other of before) assert.ok(other < op, `${op} waits for ${other}`);
    assert.ok(program.counts[op]! > 0 && program.counts[op]! <= program.chunkCount);
  }
  for (const ops of program.receives.values()) {
    for (const op of ops) assert.ok(program.kinds[op] !== OP_SEND && program.kinds[op] !== OP_COPY);
  }
}

test("a step is cut from its beginning, the last chunk has the rest", () => {
  const builder = new ScheduleBuilder();
  builder.send(1, region("send", 3, 10));
  builder.receive(1, region("recv", 0, 4));
  const program = compile(builder.build(), { elementBytes: 4, chunkBytes: 19 });
  assert.equal(program.chunkCount, 4);
  assert.deepEqual([...program.kinds], [OP_SEND, OP_SEND, OP_SEND, OP_RECEIVE]);
  assert.deepEqual([...program.offsets], [3, 7, 11, 0]);
  assert.deepEqual([...program.counts], [4, 4, 2, 4]);
  assert.deepEqual([...program.ordinals.slice(0, 3)], [0, 1, 2]);
  assert.deepEqual([...program.receives.get(1)!], [3]);
  assert.deepEqual([...program.waits], [0, 0, 0, 0]);
});

test("a chunk holds at least one element", () => {
  const builder = new ScheduleBuilder();
  builder.send(1, region("send", 0, 3));
  assert.equal(compile(builder.build(), { elementBytes: 8, chunkBytes: 1 }).kinds.length, 3);
});

test("chunks wait for just those chunks of which they need elements", () => {
  const builder = new ScheduleBuilder();
  builder.combine(1, region("recv", 0, 6), "before");
  builder.send(2, region("recv", 2, 4));
  const program = compile(builder.build(), { elementBytes: 4, chunkBytes: 12 });
  // Received: [0,3) [3,6). Sent: [2,5) [5,6).
  assert.deepEqual([...program.kinds], [OP_BEFORE, OP_BEFORE, OP_SEND, OP_SEND]);
  assert.deepEqual(needs(program, 2), [0, 1]);
  assert.deepEqual(needs(program, 3), [1]);
  checkShape(program);
});

test("what is being sent is not overwritten, what was overwritten before need not be waited for", () => {
  const builder = new ScheduleBuilder();
  builder.receive(1, region("recv", 0, 4));
  builder.send(2, region("recv", 0, 4));
  builder.receive(3, region("recv", 0, 4));
  builder.send(4, region("recv", 0, 4));
  const program = compile(builder.build(), { elementBytes: 4, chunkBytes: 64 });
  assert.deepEqual(needs(program, 1), [0]);
  assert.deepEqual(needs(program, 2), [0, 1]);
  assert.deepEqual(needs(program, 3), [2], "the last writer has waited for all before");
});

test("in place, what is sent from one buffer is not overwritten through the other", () => {
  const builder = new ScheduleBuilder();
  builder.copy(region("send", 0, 2), region("recv", 4, 2));
  builder.send(1, region("send", 0, 2));
  builder.receive(1, region("recv", 5, 1));
  const apart = compile(builder.build(), { elementBytes: 4, chunkBytes: 64 });
  assert.deepEqual([...apart.kinds], [OP_COPY, OP_SEND, OP_RECEIVE]);
  assert.deepEqual(needs(apart, 2), [0]);
  const cut = { elementBytes: 4, chunkBytes: 64, sendInRecv: 4 };
  const inPlace = compile(builder.build(), cut);
  assert.deepEqual([...inPlace.kinds], [OP_SEND, OP_RECEIVE], "no copy onto itself");
  assert.deepEqual(needs(inPlace, 1), [0]);
});

test("programs of all sizes can be run through, and peers cut alike", () => {
  for (const ranks of [1, 2, 3, 4, 7, 8]) {
    for (const name of ["ring", "recursiveDoubling", "halvingDoubling", "doubleTree"]) {
      for (const count of [0, 1, 5, 64, 101]) {
        const programs = Array.from({ length: ranks }, (_, rank) => {
          const schedule = buildSchedule("allreduce", name, { rank, ranks, count });
          return compile(schedule, { elementBytes: 4, chunkBytes: 28 });
        });
        programs.forEach((program, rank) => {
          checkShape(program);
          checkMatches(programs, rank);
        });
      }
    }
  }
});

/** Every send of a rank has a receive of the same count under the same number. */
function checkMatches(programs: readonly Program[], rank: number): void {
  const { kinds, peers, counts, ordinals } = programs[rank]!;
  const sent = new Map<number, number>();
  for (let op = 0; op < kinds.length; op++) {
    if (kinds[op] !== OP_SEND) continue;
    const peer = peers[op]!;
    const ordinal = sent.get(peer) ?? 0;
    assert.equal(ordinals[op], ordinal);
    sent.set(peer, ordinal + 1);
    const theirs = programs[peer]!;
    const receive = theirs.receives.get(rank)![ordinal]!;
    assert.equal(theirs.counts[receive], counts[op]);
  }
  for (const [peer, count] of sent) assert.equal(programs[peer]!.receives.get(rank)!.length, count);
}
