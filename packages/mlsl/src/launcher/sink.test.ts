import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { test } from "node:test";
import { Sink } from "./sink.js";

/** A destination that takes one write at a time, when told to. */
function slowDestination() {
  const written: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark: 4,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      waiting.push(done);
    },
  });
  return { stream, written, takeNext: () => waiting.shift()?.() };
}

function source(): Readable {
  return new Readable({ read() {} }).on("data", () => {});
}

test("sources of a full destination are held back until it drains", async () => {
  const { stream, written, takeNext } = slowDestination();
  const sink = new Sink(stream, () => assert.fail("not broken"));
  const [first, second] = [source(), source()];
  sink.write("aaaaaaaa", first);
  sink.write("bbbb", second);
  assert.ok(first.isPaused() && second.isPaused());
  assert.ok(sink.holds(first));
  sink.write("launcher");
  const drained = new Promise((resolve) => stream.once("drain", resolve));
  for (let i = 0; i < 3; i++) {
    takeNext();
    await new Promise(setImmediate);
  }
  await drained;
  assert.ok(!first.isPaused() && !second.isPaused());
  assert.equal(sink.holds(first), false);
  assert.deepEqual(written, ["aaaaaaaa", "bbbb", "launcher"]);
});

test("a broken destination is told once, and its sources go on", async () => {
  let broken = 0;
  const stream = new Writable({
    highWaterMark: 1,
    write(_chunk, _encoding, done) {
      setImmediate(done, new Error("EPIPE"));
    },
  });
  const sink = new Sink(stream, () => broken++);
  const from = source();
  sink.write("xx", from);
  assert.ok(from.isPaused());
  await new Promise((resolve) => stream.once("close", resolve));
  assert.equal(broken, 1);
  assert.ok(!from.isPaused());
  sink.write("yy", from);
  assert.ok(!from.isPaused());
});

test("a closed sink leaves no listeners behind", () => {
  const { stream } = slowDestination();
  const before = stream.eventNames().length;
  new Sink(stream, () => {}).close();
  assert.equal(stream.eventNames().length, before);
});
