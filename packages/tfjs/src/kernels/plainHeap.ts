// The heap as the plain kernels see it.

/** One memory as 32-bit integers and as floats. */
export interface PlainHeap {
  readonly ints: Int32Array;
  readonly floats: Float32Array;
}

/** Words in the largest argument block, that of a window. */
const MOST_WORDS = 21;

/** The words of the argument block at byte address `at`. */
export function words(ints: Int32Array, at: number): Int32Array {
  return ints.subarray(at / 4, at / 4 + MOST_WORDS);
}
