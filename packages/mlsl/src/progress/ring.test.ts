import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../simulation/random.js";
import { SEED } from "../testing/seed.js";
import { RingReader, RingWriter, ringBytes } from "./ring.js";

const SLOTS = 8;

function newRing(): { words: Int32Array; writer: RingWriter; reader: RingReader } {
  const words = new Int32Array(new SharedArrayBuffer(64 + ringBytes(SLOTS)));
  return {
    words,
    writer: new RingWriter(words, 64, SLOTS),
    reader: new RingReader(words, 64, SLOTS),
  };
}

test("records arrive in order, however both sides take turns, and none when it is full", () => {
  const random = new Random(SEED);
  const { words, writer, reader } = newRing();
  let [claimed, shown, read] = [0, 0, 0];
  for (let turn = 0; turn < 20000; turn++) {
    const what = random.below(3);
    if (what === 0) {
      const word = writer.claim();
      assert.equal(word === -1, claimed - read === SLOTS, `seed ${SEED}, turn ${turn}`);
      if (word !== -1) words[word] = claimed++;
    } else if (what === 1) {
      writer.publish();
      shown = claimed;
    } else {
      const word = reader.peek();
      assert.equal(word === -1, read === shown, `seed ${SEED}, turn ${turn}`);
      if (word === -1) continue;
      assert.equal(words[word], read++);
      reader.release();
    }
  }
  assert.ok(read > 1000);
});

test("counters wrap", () => {
  const { words, writer, reader } = newRing();
  for (let i = 0; i < 3 * SLOTS; i++) {
    const word = writer.claim();
    words[word] = i;
    writer.publish();
    assert.equal(words[reader.peek()], i);
    reader.release();
  }
  assert.equal(reader.peek(), -1);
});
