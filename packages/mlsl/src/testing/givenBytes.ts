/** What ranks give in tests in which data is moved, not combined. */

import { Random } from "../simulation/random.js";

/** Byte i of rank r is what stands at i + r × SHIFT: no two ranks and no two chunks are alike. */
const BYTES = randomBytes(1500000);
const SHIFT = 4096 + 8;

function randomBytes(byteLength: number): Uint8Array {
  const random = new Random(7);
  const words = Int32Array.from({ length: byteLength / 4 }, () => random.below(2 ** 32));
  return new Uint8Array(words.buffer);
}

/** Bytes that a rank gives, from its byte `first` on. */
export function givenBytes(rank: number, first: number, byteLength: number): Uint8Array {
  return BYTES.subarray(rank * SHIFT + first, rank * SHIFT + first + byteLength);
}
