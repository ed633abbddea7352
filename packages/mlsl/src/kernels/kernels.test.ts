/** One suite over the WebAssembly kernels and their plain twin. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { segmentBytesFor } from "../memory/layout.js";
import { newThreadMemory } from "../memory/segment.js";
import { KERNELS } from "../testing/localJob.js";
import { chooseKernels } from "./chooseKernels.js";
import {
  controlBytes,
  controlLayout,
  EXCHANGE,
  INLINE_BYTES,
  LINE_BYTES,
  planBytes,
  REQUEST,
  REQUEST_BYTES,
  SLOT_BYTES,
} from "./exchangeLayout.js";

/** Where the blocks of a test lie: well above a segment's header and tables. */
const DATA_AT = 1048576;
/** Where the bits of sleepers are. */
const SLEEPERS = 524288;

const memory = newThreadMemory(1, segmentBytesFor(1, 8388608));
const words = new Int32Array(memory.buffer);

for (const name of KERNELS) {
  test(`${name} exchange completes only when all have come, and carries payloads`, () => {
    for (const byteLength of [0, 1, 4, INLINE_BYTES, INLINE_BYTES + 1, SLOT_BYTES]) {
      for (const ranks of [1, 2, 5]) runExchange(name, ranks, byteLength);
    }
  });

  test(`${name} exchange tells of sleepers once, and of ranks that ask for other things`, () => {
    const { kernels, requests, control } = exchangeSetup(name, 2, 0);
    words[SLEEPERS / 4] = 2;
    assert.equal(kernels.exchange(requests[0]!), EXCHANGE.wake);
    assert.equal(kernels.exchange(requests[0]!), EXCHANGE.waiting);
    words[SLEEPERS / 4] = 0;
    words[requests[1]! / 4 + REQUEST.countLow] = 77;
    assert.equal(kernels.exchange(requests[1]!), EXCHANGE.mismatch);
    assert.equal(kernels.exchange(requests[0]!), EXCHANGE.mismatch);
    assert.equal(control.lines[1] % LINE_BYTES, 0);
  });

  test(`${name} exchangeFetch copies what is wanted of payloads, and nothing beside it`, () => {
    for (const byteLength of [1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 33, 100, 512, 513, SLOT_BYTES]) {
      for (const ranks of [1, 2, 5]) runFetch(name, ranks, byteLength);
    }
  });

  test(`${name} exchange and advance tell of sleepers of the group only`, () => {
    const { kernels, requests } = exchangeSetup(name, 2, 0);
    const phase = DATA_AT + 32768;
    words[SLEEPERS / 4] = 8;
    words[SLEEPERS / 4 + 1] = 1;
    assert.equal(kernels.exchange(requests[0]!), EXCHANGE.waiting);
    assert.equal(kernels.advance(phase, 1, requests[0]!), 0);
    words[requests[0]! / 4 + REQUEST.maskHigh] = 1;
    assert.equal(kernels.advance(phase, 2, requests[0]!), 1);
    words[SLEEPERS / 4 + 1] = 0;
    assert.equal(kernels.advance(phase, 3, requests[0]!), 0);
    assert.equal(words[phase / 4], 3);
    words[SLEEPERS / 4] = 0;
  });

  test(`${name} awaitPhases compares across the wrap of 32 bits`, () => {
    const kernels = chooseKernels(memory, name);
    const phases = DATA_AT;
    const request = DATA_AT + 4096;
    words.fill(0, phases / 4, (request + REQUEST_BYTES) / 4);
    words[request / 4 + REQUEST.sleepers] = SLEEPERS;
    kernels.advance(phases, 4294967295, request);
    kernels.advance(phases + LINE_BYTES, 0, request);
    assert.equal(kernels.awaitPhases(phases, 2, 4294967295, 3), EXCHANGE.done);
    assert.equal(kernels.awaitPhases(phases, 2, 0, 3), EXCHANGE.waiting);
    assert.equal(kernels.advance(phases, 0, request), 0);
    assert.equal(kernels.awaitPhases(phases, 2, 0, 3), EXCHANGE.done);
  });

  test(`${name} copy moves bytes between areas that overlap`, () => {
    const kernels = chooseKernels(memory, name);
    const bytes = new Uint8Array(memory.buffer, DATA_AT, 300);
    bytes.forEach((_, i) => {
      bytes[i] = i % 251;
    });
    const expected = Array.from(bytes.subarray(10, 210));
    kernels.copy(DATA_AT + 33, DATA_AT + 10, 200);
    assert.deepEqual(Array.from(bytes.subarray(33, 233)), expected);
  });
}

function exchangeSetup(name: (typeof KERNELS)[number], ranks: number, byteLength: number) {
  const kernels = chooseKernels(memory, name);
  const control = controlLayout(DATA_AT, ranks);
  words.fill(0, DATA_AT / 4, (DATA_AT + controlBytes(ranks) + 65536) / 4);
  const base = DATA_AT + controlBytes(ranks);
  const payloadAt = (rank: number) => base + ranks * 256 + rank * SLOT_BYTES;
  const requests = Array.from({ length: ranks }, (_, rank) => {
    const request = base + rank * 256;
    const first = request / 4;
    words[first + REQUEST.lines] = control.lines[1];
    words[first + REQUEST.slots] = control.slots[1];
    words[first + REQUEST.ranks] = ranks;
    words[first + REQUEST.rank] = rank;
    words[first + REQUEST.sequence] = 1;
    words[first + REQUEST.kind] = 9;
    words[first + REQUEST.send] = payloadAt(rank);
    words[first + REQUEST.payloadBytes] = byteLength;
    words[first + REQUEST.sleepers] = SLEEPERS;
    words[first + REQUEST.maskLow] = 3;
    return request;
  });
  assert.ok(planBytes(ranks) <= 256);
  return { kernels, requests, control, payloadAt };
}

function runExchange(name: (typeof KERNELS)[number], ranks: number, byteLength: number): void {
  const { kernels, requests, control, payloadAt } = exchangeSetup(name, ranks, byteLength);
  const bytes = new Uint8Array(memory.buffer);
  requests.forEach((_, rank) => {
    bytes.fill(rank + 1, payloadAt(rank), payloadAt(rank) + byteLength);
  });
  for (let rank = 0; rank < ranks; rank++) {
    const expected = rank === ranks - 1 ? EXCHANGE.done : EXCHANGE.waiting;
    assert.equal(kernels.exchange(requests[rank]!), expected, `rank ${rank} of ${ranks}`);
  }
  for (let rank = 0; rank < ranks; rank++) {
    assert.equal(kernels.exchange(requests[rank]!), EXCHANGE.done);
    const inline = byteLength <= INLINE_BYTES;
    const at = inline
      ? control.lines[1] + rank * LINE_BYTES + LINE_BYTES - INLINE_BYTES
      : control.slots[1] + rank * SLOT_BYTES;
    const payload = bytes.subarray(at, at + byteLength);
    assert.ok(
      payload.every((x) => x === rank + 1),
      `payload of rank ${rank}, ${byteLength} bytes`,
    );
  }
}

/** The last rank wants all but the first byte of each payload, from rank 0 on, or from its own. */
function runFetch(name: (typeof KERNELS)[number], ranks: number, byteLength: number): void {
  const { kernels, requests, payloadAt } = exchangeSetup(name, ranks, byteLength);
  const bytes = new Uint8Array(memory.buffer);
  const recv = DATA_AT + 131072;
  requests.forEach((_, rank) => {
    for (let i = 0; i < byteLength; i++) bytes[payloadAt(rank) + i] = (7 * rank + i) % 251;
    if (rank < ranks - 1) kernels.exchange(requests[rank]!);
  });
  const stride = byteLength + 3;
  for (const first of [0, ranks - 1]) {
    bytes.fill(255, recv - 16, recv + ranks * stride + 16);
    const words32 = requests[ranks - 1]! / 4;
    Object.entries({ recv, begin: 1, end: byteLength, first, last: ranks, stride }).forEach(
      ([word, value]) => {
        words[words32 + REQUEST[word as keyof typeof REQUEST]] = value;
      },
    );
    assert.equal(kernels.exchangeFetch(requests[ranks - 1]!), EXCHANGE.done);
    const expected = new Uint8Array(ranks * stride + 32).fill(255);
    for (let rank = first; rank < ranks; rank++) {
      for (let i = 1; i < byteLength; i++) {
        expected[16 + (rank - first) * stride + i - 1] = (7 * rank + i) % 251;
      }
    }
    assert.deepEqual(bytes.slice(recv - 16, recv + ranks * stride + 16), expected);
  }
}

test("chooseKernels refuses a name that it does not know", () => {
  assert.throws(() => chooseKernels(memory, "fast"), /must be wasm or plain, got "fast"/);
});
