/** Records between two workers, from the draft of one to the words that the other reads. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Part } from "../engine/frames.js";
import type { EngineRequest } from "../engine/request.js";
import { NoteWriter } from "./notes.js";
import { PeerLink } from "./peerLink.js";
import { recordMemory, WIRE } from "./records.js";
import { HeardParts, partOf, sendPart, sendRead, type WireContext } from "./wire.js";
import { PEER_SLOTS, publishWorkerBlocks, workerBlocksBytes, workerLayout } from "./workerBlock.js";

const BLOCKS = 65536;
const BYTES = workerBlocksBytes(2, 1);

function pair() {
  const memory = recordMemory(new SharedArrayBuffer(BLOCKS + 2 * BYTES));
  const blocks = [BLOCKS, BLOCKS + BYTES] as const;
  const link = (own: 0 | 1) => {
    return new PeerLink(memory, blocks[own], { ranks: 2, worker: 0, own, peer: 1 - own });
  };
  const learned = new Map<number, string>();
  const context: WireContext = {
    memory,
    notes: new NoteWriter(memory.words, blocks[0] + workerLayout(2).workerNotes),
    fingerprintOf: () => ({
      words: [1, 4294967295, 3, 4],
      details: { address: 8192, byteLength: 3 },
    }),
    heard: new HeardParts(),
    numberOf: () => 77,
    stampOf: (number) => 1000 + number,
    knowsDetails: (hash) => learned.has(hash),
    addressOf: () => 4000000000,
    requestOf: (_, match) => (match === 5 ? ({} as EngineRequest) : undefined),
    learnDetails: (hash, text) => void learned.set(hash, text),
    explain: (failure) => failure,
  };
  const join = () =>
    blocks.forEach((block, rank) => void publishWorkerBlocks(memory.words, rank, block));
  return { memory, context, learned, join, from: link(0), to: link(1) };
}

const GROUP = 2 ** 33 + 4096;

test("words and data arrive as they were said", () => {
  const { memory, context, learned, join, from, to } = pair();
  join();
  new Uint8Array(memory.words.buffer, 8192, 3).set([97, 98, 99]);
  const request = {} as EngineRequest;
  const data = { kind: "data", group: GROUP, match: 5, ordinal: 9, byteLength: 2 ** 32 } as const;
  const said: Part[] = [
    { kind: "hello", group: GROUP, match: 2 ** 52 + 1, round: 0, fingerprint: "" },
    { ...data, request, op: 3 },
    { kind: "abort", group: GROUP, failure: { kind: "lost", rank: 3, reason: "gone" } },
    { kind: "ready", group: GROUP, match: 6 },
  ];
  for (const part of said) sendPart(context, from, part);
  assert.equal(to.peek(), -1, "nothing is seen before it is published");
  from.flush();
  const heard = said.map(() => {
    const part = partOf(context, to.peek(), 0);
    to.release();
    return part;
  });
  assert.deepEqual(heard[0], { ...said[0], fingerprint: "1.4294967295.3.4" });
  assert.equal(learned.get(4), "abc");
  const place = { from: 0, address: 4000000000, number: 77, stamp: 1077 };
  assert.deepEqual({ ...heard[1] }, { ...data, request, op: -1, ...place });
  assert.deepEqual(heard[2], said[2]);
  assert.deepEqual(heard[3], said[3]);
});

test("data of a request that is not here is nothing, and read chunks are told by number", () => {
  const { memory, context, join, from, to } = pair();
  join();
  const request = {} as EngineRequest;
  const part = { kind: "data", group: GROUP, match: 4, ordinal: 0, byteLength: 1 } as const;
  sendPart(context, from, { ...part, request, op: 0 });
  sendRead(from, { number: 5, stamp: -7 });
  from.flush();
  assert.equal(partOf(context, to.peek(), 0), undefined);
  to.release();
  assert.deepEqual([...memory.words.slice(to.peek(), to.peek() + 3)], [WIRE.sent, 5, -7]);
});

test("objects of chunks that were read serve others, and texts of fingerprints are made once", () => {
  const heard = new HeardParts();
  const [one, other] = [{}, {}] as [EngineRequest, EngineRequest];
  const part = heard.take(one);
  assert.notEqual(heard.take(one), part);
  heard.release(part);
  assert.equal(heard.take(other), part);
  assert.equal(part.request, other);
  // The same sum, other words.
  const words = Int32Array.of(1, 2, 3, -1, 2, 1, 3, -1);
  assert.equal(heard.fingerprint(words, 0), "1.2.3.4294967295");
  assert.equal(heard.fingerprint(words, 4), "2.1.3.4294967295");
  assert.equal(heard.fingerprint(words, 0), "1.2.3.4294967295");
});

test("what finds no room, or no peer yet, is kept in order; an ended peer hears nothing", () => {
  const { memory, join, from, to } = pair();
  const count = 3 * PEER_SLOTS;
  for (let i = 0; i < count; i++) sendRead(from, { number: i, stamp: 0 });
  from.flush();
  assert.ok(from.isHeldUp, "the peer has not joined");
  join();
  for (let i = 0; i < count; i++) {
    if (i % PEER_SLOTS === 0) from.flush();
    assert.equal(memory.words[to.peek() + 1], i);
    to.release();
  }
  assert.equal(from.isHeldUp, false);
  for (let i = 0; i < 2 * PEER_SLOTS; i++) sendRead(from, { number: i, stamp: 0 });
  from.end();
  sendRead(from, { number: 1, stamp: 0 });
  assert.equal(from.isHeldUp, false);
});
