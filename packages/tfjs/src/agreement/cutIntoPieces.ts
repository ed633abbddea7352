/** Lists of arrays that travel through one smaller buffer. */

/** A range of one of the arrays, and its place in the buffer. */
export interface Part {
  /** Which array. */
  readonly index: number;
  /** First element of the array. */
  readonly from: number;
  /** First element of the buffer. */
  readonly at: number;
  readonly count: number;
}

/** What the buffer holds at a time: its first `count` elements. */
export interface Piece {
  readonly count: number;
  readonly parts: readonly Part[];
}

/**
 * Cuts arrays that lie one after the other into pieces of `capacity` elements, the last one maybe
 * smaller. Empty arrays are in none.
 *
 * @param counts elements of each array
 * @throws {RangeError} If the capacity is less than 1.
 */
export function cutIntoPieces(counts: readonly number[], capacity: number): Piece[] {
  if (!(capacity >= 1)) {
    throw new RangeError(`Cannot cut arrays into pieces of ${capacity}: expected at least 1`);
  }
  const pieces: { count: number; parts: Part[] }[] = [];
  let piece = { count: capacity, parts: [] as Part[] };
  for (const [index, total] of counts.entries()) {
    for (let from = 0; from < total; ) {
      if (piece.count === capacity) {
        piece = { count: 0, parts: [] };
        pieces.push(piece);
      }
      const count = Math.min(total - from, capacity - piece.count);
      piece.parts.push({ index, from, at: piece.count, count });
      piece.count += count;
      from += count;
    }
  }
  return pieces;
}
