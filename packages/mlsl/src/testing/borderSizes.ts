/** Sizes at which the way of the data changes. */

/**
 * Bytes of a block around nothing, a line, a slot, a chunk, a rank's share of them, and primes.
 *
 * @param chunkBytes of a staging block
 */
export function borderSizes(ranks: number, chunkBytes: number): number[] {
  const share = Math.floor(chunkBytes / ranks / 64) * 64;
  const at = [0, 32, 32 / ranks, 4096, 4096 / ranks, chunkBytes, share, 3 * share, 2 * chunkBytes];
  const around = at.flatMap((bytes) => [-8, -1, 0, 1, 8].map((d) => Math.floor(bytes) + d));
  return [...new Set([...around, 2, 3, 7, 9, 17, 4409])].filter((bytes) => bytes >= 0);
}
