/** How the bytes of a buffer are divided among the ranks that reduce it together. */

/** A half-open range of bytes. */
export interface Slice {
  readonly begin: number;
  readonly end: number;
}

/** Slices begin at multiples of this: two ranks never write to one cache line. */
const LINE_BYTES = 64;

/**
 * The part of a buffer that a rank reduces: whole cache lines, shared out as evenly as possible,
 * the first ranks getting one more where it does not come out even. Together the slices cover the
 * buffer exactly once; a rank's slice is empty when there are fewer lines than ranks.
 *
 * @param byteLength of the buffer, which starts at a cache line
 */
export function sliceOf(byteLength: number, rank: number, ranks: number): Slice {
  const lines = Math.ceil(byteLength / LINE_BYTES);
  const share = Math.floor(lines / ranks);
  const more = lines - share * ranks;
  const first = rank * share + Math.min(rank, more);
  const last = first + share + (rank < more ? 1 : 0);
  return {
    begin: Math.min(first * LINE_BYTES, byteLength),
    end: Math.min(last * LINE_BYTES, byteLength),
  };
}
