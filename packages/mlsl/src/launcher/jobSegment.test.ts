import assert from "node:assert/strict";
import { fstatSync, readSync } from "node:fs";
import { test } from "node:test";
import {
  LAYOUT_VERSION,
  MAGIC,
  MAGIC_OFFSET,
  RANKS_OFFSET,
  segmentBytesFor,
  VERSION_OFFSET,
} from "../memory/layout.js";
import { loadNative, type Native } from "../memory/native.js";
import { decodeStatus, type RankStatus, statusOffset } from "../memory/rankStatus.js";
import { FileSegment, type JobSegment, MemorySegment } from "./jobSegment.js";

const RANKS = 3;
const BYTES = segmentBytesFor(RANKS, 65536);
const STATUSES: readonly RankStatus[] = [
  { kind: "running" },
  { kind: "exited", code: 0 },
  { kind: "signalled", signal: 9 },
];

function checkWords(segment: JobSegment, read: (byteOffset: number) => number): void {
  assert.equal(read(MAGIC_OFFSET), MAGIC);
  assert.equal(read(VERSION_OFFSET), LAYOUT_VERSION);
  assert.equal(read(RANKS_OFFSET), RANKS);
  STATUSES.forEach((status, rank) => {
    if (status.kind !== "running") segment.writeStatus(rank, status);
  });
  STATUSES.forEach((status, rank) => {
    assert.deepEqual(decodeStatus(read(statusOffset(rank))), status);
  });
}

test("a segment in a file is marked, and its status words reach a mapping of it", () => {
  const native = loadNative();
  assert.ok(native);
  const segment = new FileSegment(native, BYTES, RANKS);
  const { size, blocks } = fstatSync(segment.fd);
  assert.equal(size, BYTES);
  assert.ok(blocks * 512 >= BYTES, "all pages are there from the start");
  const pages = BYTES / 65536;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  native.mapShared(new Uint8Array(memory.buffer), segment.fd);
  const words = new Int32Array(memory.buffer);
  // Safe: one thread.
  checkWords(segment, (byteOffset) => Atomics.load(words, byteOffset / 4));
  segment.close();
  assert.throws(() => readSync(segment.fd, Buffer.alloc(1)), { code: "EBADF" });
});

test("a segment in memory is marked the same way", () => {
  const segment = new MemorySegment(BYTES, RANKS);
  const words = new Int32Array(segment.memory.buffer);
  assert.equal(words.byteLength, BYTES);
  // Safe: one thread.
  checkWords(segment, (byteOffset) => Atomics.load(words, byteOffset / 4));
  segment.close();
});

test("a segment that cannot be reserved or marked is an error and leaves no descriptor", () => {
  const native = loadNative();
  assert.ok(native);
  let fd = -1;
  const poor: Native = {
    ...native,
    memfdCreate(name) {
      fd = native.memfdCreate(name);
      return fd;
    },
    posixFallocate() {
      throw Object.assign(new Error("full"), { code: "ENOSPC" });
    },
  };
  assert.throws(() => new FileSegment(poor, BYTES, RANKS), { code: "ENOSPC" });
  assert.throws(() => fstatSync(fd), { code: "EBADF" });
});
