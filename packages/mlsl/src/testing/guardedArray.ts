/** Arrays at odd places, inside the segment or outside, with bytes around that must not change. */

import assert from "node:assert/strict";
import type { LocalGroup } from "../collectives/groups/localGroup.js";
import { SegmentFullError } from "../errors/segmentFullError.js";
import { type DataType, dataTypeInfo, type ElementArray, viewOf } from "../memory/dataTypes.js";
import type { Random } from "../simulation/random.js";

/** Bytes on either side; a multiple of every element. */
const GUARD_BYTES = 64;

/** What they hold. */
const GUARD = 0xa5;

/** The bytes of an array. */
export function bytesOf(array: ElementArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** The part of an array from `begin` on. */
export function partOf(array: ElementArray, begin: number, count: number): ElementArray {
  return array.subarray(begin, begin + count);
}

/** @throws {assert.AssertionError} If bytes differ; says where first. */
export function assertBytes(actual: Uint8Array, expected: Uint8Array, what: string): void {
  if (Buffer.compare(actual, expected) === 0) return;
  const at = actual.findIndex((byte, i) => byte !== expected[i]);
  assert.fail(
    `${what}: byte ${at} of ${actual.length} (${expected.length} expected) is ${actual[at]}, ` +
      `expected ${expected[at]}`,
  );
}

function allocateIfRoom(group: LocalGroup, byteLength: number): Uint8Array | undefined {
  try {
    return group.allocate("uint8", byteLength);
  } catch (error) {
    assert.ok(error instanceof SegmentFullError, String(error));
    return undefined;
  }
}

/** An array with guards around. */
export class GuardedArray {
  readonly array: ElementArray;
  readonly #around: Uint8Array;
  readonly #free: () => void;

  private constructor(array: ElementArray, around: Uint8Array, free: () => void) {
    this.array = array;
    this.#around = around;
    this.#free = free;
  }

  /** An array whose elements are guards, too; it begins at any multiple of its element. */
  static make(
    group: LocalGroup,
    random: Random,
    { type, count }: { type: DataType; count: number },
  ): GuardedArray {
    const elementBytes = dataTypeInfo(type).byteLength;
    const begin = GUARD_BYTES + random.below(GUARD_BYTES / elementBytes) * elementBytes;
    const byteLength = begin + count * elementBytes + GUARD_BYTES;
    const shared = random.below(2) === 0 ? allocateIfRoom(group, byteLength) : undefined;
    const around = shared ?? new Uint8Array(byteLength);
    around.fill(GUARD);
    const array = viewOf(type, around.buffer, around.byteOffset + begin, count);
    return new GuardedArray(array, around, () => {
      if (shared !== undefined) group.free(shared);
    });
  }

  /** Checks that only the array itself was written, and gives it back. */
  release(what: string): void {
    const begin = this.array.byteOffset - this.#around.byteOffset;
    const end = begin + this.array.byteLength;
    const isGuard = (byte: number): boolean => byte === GUARD;
    assert.ok(this.#around.subarray(0, begin).every(isGuard), `${what}: written before an array`);
    assert.ok(this.#around.subarray(end).every(isGuard), `${what}: written behind an array`);
    this.#free();
  }

  /** Checks that nothing was written at all, and gives it back. */
  releaseUntouched(what: string): void {
    const guards = new Uint8Array(this.#around.length).fill(GUARD);
    assertBytes(this.#around, guards, `${what}, an array that is not to be written`);
    this.#free();
  }
}
