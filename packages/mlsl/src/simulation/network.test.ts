import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../engine/frames.js";
import { Network, type NetworkSpec } from "./network.js";
import { VirtualClock } from "./virtualClock.js";

/** A microsecond there, and a thousand bytes in another. */
const SPEC: NetworkSpec = { ranks: 8, latencyMs: 0.001, bandwidthGBps: 1, overheadMs: 0 };

function frame(from: number, to: number, byteLength: number): Frame {
  return { from, to, byteLength, dataBytes: byteLength, parts: [] };
}

/** Sends frames at time 0. @returns when each is in, in microseconds, to a millionth of one */
function times(spec: NetworkSpec, frames: readonly Frame[]): number[] {
  const clock = new VirtualClock();
  const seen = new Map<Frame, number>();
  const network = new Network(spec, clock, (one) => seen.set(one, clock.nowMs));
  for (const one of frames) network.send(one);
  clock.run();
  return frames.map((one) => Math.round(seen.get(one)! * 1e9) / 1e6);
}

test("a frame over an idle link takes its bytes' time and a latency", () => {
  assert.deepEqual(times(SPEC, [frame(0, 1, 5000)]), [6]);
  assert.deepEqual(times({ ...SPEC, overheadMs: 0.002 }, [frame(0, 1, 5000)]), [8]);
  assert.deepEqual(times(SPEC, [frame(0, 1, 0)]), [1]);
});

test("frames of one sender leave one after the other", () => {
  assert.deepEqual(times(SPEC, [frame(0, 1, 5000), frame(0, 2, 3000)]), [6, 9]);
  const slow = { ...SPEC, overheadMs: 0.01 };
  assert.deepEqual(times(slow, [frame(0, 1, 5000), frame(0, 2, 3000)]), [16, 24]);
});

test("two senders to one receiver take the sum of their times", () => {
  assert.deepEqual(times(SPEC, [frame(0, 2, 5000), frame(1, 2, 3000)]), [6, 9]);
});

test("a host sends and receives at the same time", () => {
  assert.deepEqual(times(SPEC, [frame(0, 1, 5000), frame(1, 0, 5000)]), [6, 6]);
});

test("ranks of one host share its port", () => {
  const shared = { ...SPEC, ranksPerHost: 2 };
  assert.deepEqual(times(shared, [frame(0, 2, 5000), frame(1, 4, 3000)]), [6, 9]);
  assert.deepEqual(times(shared, [frame(0, 2, 5000), frame(4, 3, 3000)]), [6, 9]);
});

test("a frame that comes late does not hold up one that comes before it", () => {
  // Handed over first, but its head is there at 11 only, behind another.
  const frames = [frame(0, 1, 10000), frame(0, 2, 1000), frame(3, 2, 4000)];
  assert.deepEqual(times(SPEC, frames), [11, 12, 5]);
});

test("ranks of one host send each other over a link of their own", () => {
  const local = { ...SPEC, ranksPerHost: 2, localLatencyMs: 0.0001, localBandwidthGBps: 10 };
  const frames = [frame(0, 1, 5000), frame(0, 1, 1000), frame(1, 2, 1000)];
  assert.deepEqual(times(local, frames), [0.6, 0.7, 2]);
  const clock = new VirtualClock();
  const network = new Network(local, clock, () => {});
  assert.equal(network.latencyMs(0, 1), 0.0001);
  assert.equal(network.latencyMs(1, 2), 0.001);
});

test("nothing leaves or enters a stalled host", () => {
  const clock = new VirtualClock();
  const seen: number[] = [];
  const network = new Network(SPEC, clock, () => seen.push(Math.round(clock.nowMs * 1e6) / 1e3));
  network.stall(1, 0.02);
  network.send(frame(1, 0, 1000));
  network.send(frame(2, 1, 1000));
  network.send(frame(2, 3, 1000));
  clock.run();
  assert.deepEqual(seen, [3, 21, 22]);
});

test("impossible networks and ranks are refused", () => {
  const make = (change: Partial<NetworkSpec>): Network =>
    new Network({ ...SPEC, ...change }, new VirtualClock(), () => {});
  assert.throws(() => make({ ranks: 0 }), /"ranks" must be an integer from 1, got 0/);
  assert.throws(() => make({ ranksPerHost: 1.5 }), /"ranksPerHost" must be an integer/);
  assert.throws(() => make({ latencyMs: -1 }), /"latencyMs" must be 0 or more, got -1/);
  assert.throws(() => make({ bandwidthGBps: 0 }), /"bandwidthGBps" must be more than 0, got 0/);
  assert.throws(() => make({}).send(frame(0, 8, 1)), /rank 8: there are 8 ranks/);
});
