/** One suite over the WebAssembly kernels and their plain twin. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { dataTypeInfo, viewOf } from "../memory/dataTypes.js";
import { segmentBytesFor } from "../memory/layout.js";
import { newThreadMemory } from "../memory/segment.js";
import { KERNELS } from "../testing/localJob.js";
import { Random } from "../testing/random.js";
import { chooseKernels } from "./chooseKernels.js";
import {
  controlLayout,
  EXCHANGE,
  INLINE_BYTES,
  LINE_BYTES,
  PLAN,
  planBytes,
  REQUEST,
  SLOT_BYTES,
  TURN,
} from "./exchangeLayout.js";
import { OP_CODES } from "./kernels.js";
import { reductionTree } from "./reductionTree.js";

const PLAN_AT = 1048576;
const TREE_AT = PLAN_AT + 4096;
const DATA_AT = PLAN_AT + 65536;
const GUARD = 64;

const memory = newThreadMemory(1, segmentBytesFor(1, 8388608));
const words = new Int32Array(memory.buffer);

interface Case {
  readonly type: "float32" | "float64";
  readonly op: keyof typeof OP_CODES;
  readonly sources: number;
  readonly targets: number;
  readonly count: number;
  readonly seed: number;
}

function special(random: Random): number {
  const values = [0, -0, 1, -1, 1e30, -1e30, 1e-30, Number.NaN, Number.POSITIVE_INFINITY, 3.5];
  return random.below(4) === 0 ? random.pick(values) : random.next() * 200 - 100;
}

/** What a reduction is, by definition: by the tree, rounded after each step. */
function reference({ type, op }: Case, values: number[]): number {
  const round = type === "float32" ? Math.fround : (x: number) => x;
  const step = (a: number, b: number) =>
    op === "min" ? Math.min(a, b) : op === "max" ? Math.max(a, b) : round(a + b);
  const tree = (part: number[]): number => {
    if (part.length === 1) return part[0]!;
    const even = part.filter((_, i) => i % 2 === 0);
    return step(tree(even), tree(part.filter((_, i) => i % 2 === 1)));
  };
  const total = tree(values);
  return op === "average" ? round(total / values.length) : total;
}

function runCase(name: (typeof KERNELS)[number], c: Case): void {
  const kernels = chooseKernels(memory, name);
  const random = new Random(c.seed);
  const { code, byteLength } = dataTypeInfo(c.type);
  const stride = Math.ceil((c.count * byteLength + 2 * GUARD) / 64) * 64;
  const at = (i: number) => DATA_AT + i * stride + GUARD + (i % 3) * byteLength;
  const inPlace = c.targets <= c.sources && random.below(2) === 0;
  const targetAt = (t: number) => (inPlace ? at(t) : at(c.sources + t));
  const all = Array.from({ length: c.sources + c.targets }, (_, i) => {
    const view = viewOf(c.type, memory.buffer, at(i) - byteLength, c.count + 2);
    for (let k = 0; k < view.length; k++) view[k] = special(random);
    return view;
  });
  const inputs = all.slice(0, c.sources).map((view) => Array.from(view));
  const before = all.map((view) => [view[0], view.at(-1)]);
  const first = PLAN_AT / 4;
  words[first + PLAN.code] = code * 256 + OP_CODES[c.op];
  words[first + PLAN.sourceCount] = c.sources;
  words[first + PLAN.targetCount] = c.targets;
  words[first + PLAN.ranks] = c.sources;
  words[first + PLAN.tree] = TREE_AT;
  for (const [i, { rank, merges }] of reductionTree(c.sources).entries()) {
    words[TREE_AT / 4 + TURN.words * i + TURN.rank] = rank;
    words[TREE_AT / 4 + TURN.words * i + TURN.merges] = merges;
  }
  for (let s = 0; s < c.sources; s++) words[first + PLAN.addresses + s] = at(s);
  for (let t = 0; t < c.targets; t++) {
    words[first + PLAN.addresses + c.sources + t] = targetAt(t);
  }
  // In two parts, as a rank that owns a slice would.
  const middle = Math.floor(c.count / 3) * byteLength;
  kernels.reduce(PLAN_AT, 0, middle);
  kernels.reduce(PLAN_AT, middle, c.count * byteLength);
  for (let t = 0; t < c.targets; t++) {
    const view = viewOf(c.type, memory.buffer, targetAt(t), c.count);
    for (let k = 0; k < c.count; k++) {
      const expected = reference(
        c,
        inputs.map((values) => values[k + 1]!),
      );
      const what = `${JSON.stringify(c)}: target ${t}, element ${k}`;
      assert.ok(Object.is(view[k], expected), `${what} is ${view[k]}, expected ${expected}`);
    }
  }
  assert.deepEqual(
    all.map((view) => [view[0], view.at(-1)]),
    before,
    "guard elements changed",
  );
}

const COUNTS = [0, 1, 2, 3, 15, 16, 17, 31, 33, 100, 257];

for (const name of KERNELS) {
  test(`${name} reduce gives every target the combination of the sources by the tree`, () => {
    let seed = 1;
    for (const type of ["float32", "float64"] as const) {
      for (const op of ["sum", "average", "min", "max"] as const) {
        for (let sources = 1; sources <= 9; sources++) {
          for (const targets of [1, 2, sources]) {
            for (const count of COUNTS) {
              runCase(name, { type, op, sources, targets, count, seed: seed++ });
            }
          }
        }
      }
    }
  });

  test(`${name} exchange completes only when all have come, and carries payloads`, () => {
    for (const byteLength of [0, 1, 4, INLINE_BYTES, INLINE_BYTES + 1, SLOT_BYTES]) {
      for (const ranks of [1, 2, 5]) runExchange(name, ranks, byteLength);
    }
  });

  test(`${name} exchange tells of sleepers once, and of ranks that ask for other things`, () => {
    const { kernels, requests, control } = exchangeSetup(name, 2, 0);
    words[control.sleepers / 4] = 1;
    assert.equal(kernels.exchange(requests[0]!), EXCHANGE.wake);
    assert.equal(kernels.exchange(requests[0]!), EXCHANGE.waiting);
    words[control.sleepers / 4] = 0;
    words[requests[1]! / 4 + REQUEST.countLow] = 77;
    assert.equal(kernels.exchange(requests[1]!), EXCHANGE.mismatch);
    assert.equal(kernels.exchange(requests[0]!), EXCHANGE.mismatch);
  });

  test(`${name} awaitPhases compares across the wrap of 32 bits`, () => {
    const kernels = chooseKernels(memory, name);
    const phases = DATA_AT;
    const sleepers = DATA_AT + 4096;
    words.fill(0, phases / 4, sleepers / 4 + 1);
    kernels.advance(phases, 4294967295, sleepers);
    kernels.advance(phases + LINE_BYTES, 0, sleepers);
    assert.equal(kernels.awaitPhases(phases, 2, 4294967295, 3), EXCHANGE.done);
    assert.equal(kernels.awaitPhases(phases, 2, 0, 3), EXCHANGE.waiting);
    words[sleepers / 4] = 3;
    assert.equal(kernels.advance(phases, 0, sleepers), 3);
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
  words.fill(0, DATA_AT / 4, (DATA_AT + control.byteLength + 65536) / 4);
  const base = DATA_AT + control.byteLength;
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
    words[first + REQUEST.sleepers] = control.sleepers;
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

test("chooseKernels refuses a name that it does not know", () => {
  assert.throws(() => chooseKernels(memory, "fast"), /must be wasm or plain, got "fast"/);
});
