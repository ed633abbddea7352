import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SegmentFullError } from "../errors/segmentFullError.js";
import { ALIGNMENT_BYTES, Allocator } from "./allocator.js";

const ARENA = { byteOffset: 4096, byteLength: 65536 };

test("Allocator hands out aligned blocks that do not overlap, and takes all of them back", () => {
  const action = fc.record({ free: fc.boolean(), value: fc.nat(9000) });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 200 }), (actions) => {
      const allocator = new Allocator(ARENA);
      const used = new Map<number, number>();
      for (const { free, value } of actions) {
        if (free && used.size > 0) {
          const offset = [...used.keys()][value % used.size]!;
          allocator.free(offset);
          used.delete(offset);
        } else if (allocator.largestBytes >= value + ALIGNMENT_BYTES) {
          used.set(allocator.allocate(value), Math.max(1, value));
        }
        const blocks = [...used].sort((a, b) => a[0] - b[0]);
        let end = ARENA.byteOffset;
        for (const [offset, byteLength] of blocks) {
          assert.equal(offset % ALIGNMENT_BYTES, 0);
          assert.ok(offset >= end, `block at ${offset} begins before ${end}`);
          end = offset + byteLength;
        }
        assert.ok(end <= ARENA.byteOffset + ARENA.byteLength);
      }
      for (const offset of used.keys()) allocator.free(offset);
      assert.equal(allocator.largestBytes, ARENA.byteLength);
    }),
  );
});

test("Allocator reuses a freed block for the next one of its size", () => {
  const allocator = new Allocator(ARENA);
  const first = allocator.allocate(1000);
  allocator.allocate(1000);
  allocator.free(first);
  assert.equal(allocator.allocate(900), first);
});

test("Allocator that is full says what is needed, what is available and what helps", () => {
  const allocator = new Allocator(ARENA);
  allocator.allocate(60000);
  assert.throws(
    () => allocator.allocate(10000),
    (error: unknown) => {
      assert.ok(error instanceof SegmentFullError);
      assert.equal(error.code, "MLSL_SEGMENT_FULL");
      assert.equal(error.neededBytes, 10048);
      assert.equal(error.availableBytes, 65536 - 60032);
      assert.match(error.message, /10048 bytes .* 5504 bytes .* free.*mlsl run --segment-mib 1$/);
      return true;
    },
  );
  assert.equal(allocator.allocate(5000) % ALIGNMENT_BYTES, 0);
});

test("Allocator refuses lengths that are no lengths, and to free what is not in use", () => {
  const allocator = new Allocator(ARENA);
  for (const bad of [-1, 0.5, Number.NaN, 2 ** 60]) {
    assert.throws(() => allocator.allocate(bad), RangeError);
  }
  const offset = allocator.allocate(1);
  allocator.free(offset);
  assert.throws(() => allocator.free(offset), /no block in use starts there/);
  assert.throws(() => allocator.free(12345), TypeError);
});
