import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, Part } from "../engine/frames.js";
import { type FaultSpec, Faults } from "./faults.js";
import { Network } from "./network.js";
import { Random } from "./random.js";
import { VirtualClock } from "./virtualClock.js";

/** A word by which a part can be told from others. */
function word(match: number): Part {
  return { kind: "ready", group: 0, match };
}

function frame(from: number, to: number, matches: readonly number[]): Frame {
  return { from, to, parts: matches.map(word), byteLength: 100, dataBytes: 0 };
}

interface World {
  readonly clock: VirtualClock;
  readonly faults: Faults;
  readonly seen: { readonly ms: number; readonly frame: Frame }[];
}

function world(spec: FaultSpec, seed = 1): World {
  const clock = new VirtualClock();
  const seen: { ms: number; frame: Frame }[] = [];
  const network = new Network(
    { ranks: 4, latencyMs: 0, bandwidthGBps: 1, overheadMs: 0 },
    clock,
    (one) => faults.arrive(one),
  );
  const deliver = (one: Frame): void => void seen.push({ ms: clock.nowMs, frame: one });
  const faults = new Faults(spec, { random: new Random(seed), clock, network, deliver });
  return { clock, faults, seen };
}

const matches = ({ seen }: World): unknown[] =>
  seen.flatMap((one) => one.frame.parts.map((part) => (part.kind === "ready" ? part.match : "")));

test("without faults everything is passed on at once, as it is", () => {
  const calm = world({});
  const one = frame(0, 1, [1, 2, 3]);
  calm.faults.leave(one);
  calm.faults.arrive(one);
  assert.deepEqual(calm.seen, [{ ms: 0, frame: one }]);
  assert.equal(calm.faults.stalledUntilMs(1), undefined);
});

test("late frames overtake each other, none is lost, none later than it may be", () => {
  const late = world({ delayShare: 1, delayMs: 5 });
  const sent = Array.from({ length: 50 }, (_, i) => i);
  for (const i of sent) late.faults.arrive(frame(0, 1, [i]));
  late.clock.run();
  const came = matches(late) as number[];
  assert.notDeepEqual(came, sent);
  assert.deepEqual(
    came.toSorted((a, b) => a - b),
    sent,
  );
  assert.ok(late.seen.every(({ ms }) => ms > 0 && ms < 5));
});

test("the parts of a split frame come one by one, shuffled, with all bytes of data among them", () => {
  const split = world({ splitShare: 1 });
  split.faults.arrive(frame(2, 3, [1, 2, 3, 4, 5, 6, 7, 8]));
  assert.equal(split.seen.length, 8);
  const came = matches(split) as number[];
  assert.notDeepEqual(came, [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(
    came.toSorted((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.ok(split.seen.every((one) => one.frame.from === 2 && one.frame.to === 3));
});

test("a link or a rank stands still for a while, then goes on", () => {
  const stalled = world({ linkStallShare: 1, rankStallShare: 1, stallMs: 4 });
  stalled.faults.arrive(frame(0, 1, [1]));
  const untilMs = stalled.faults.stalledUntilMs(1)!;
  assert.ok(untilMs > 0 && untilMs < 4);
  stalled.clock.at(untilMs, () => assert.equal(stalled.faults.stalledUntilMs(1), undefined));
  stalled.clock.run();
});

test("nothing passes a connection that is lost, or gets from or to a dead rank, even if on its way", () => {
  const lossy = world({ delayShare: 1, delayMs: 5 });
  for (const [from, to] of [
    [0, 1],
    [1, 0],
    [2, 1],
    [3, 1],
    [1, 3],
  ] as const) {
    lossy.faults.arrive(frame(from, to, [10 * from + to]));
  }
  lossy.faults.disconnect(1, 0);
  lossy.faults.kill(3);
  lossy.clock.run();
  assert.deepEqual(matches(lossy), [21]);
  assert.equal(lossy.faults.isDead(3), true);
  assert.equal(lossy.faults.isDead(0), false);
  assert.equal(lossy.faults.isCut(0, 1), true);
  assert.equal(lossy.faults.isCut(2, 1), false);
});
