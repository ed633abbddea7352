/** How buffers are divided into blocks of different counts. */

import type { ElementArray } from "../../memory/dataTypes.js";
import { elements } from "./checks.js";

/** Where each rank's block lies in a buffer, in elements. */
export interface BlockLayout {
  readonly counts: readonly number[];
  readonly offsets: readonly number[];
}

function checkNumbers(kind: string, name: string, numbers: unknown, ranks: number): void {
  if (!Array.isArray(numbers) || numbers.length !== ranks) {
    const got = Array.isArray(numbers) ? `${numbers.length}` : String(numbers);
    throw new TypeError(
      `Cannot ${kind}: ${name} must hold a number for each of the ${ranks} ranks, got ${got}`,
    );
  }
  // By entries, which show the holes of an array, too.
  for (const [rank, value] of (numbers as unknown[]).entries()) {
    if (!Number.isSafeInteger(value) || (value as number) < 0) {
      throw new RangeError(
        `Cannot ${kind}: ${name} must be whole numbers of elements, got ${String(value)} for rank ${rank}`,
      );
    }
  }
}

function oneAfterTheOther(counts: readonly number[]): number[] {
  let next = 0;
  return counts.map((count) => {
    const offset = next;
    next += count;
    return offset;
  });
}

/**
 * The layout that counts and offsets describe. A copy: later changes of the caller's arrays do not
 * matter.
 *
 * @param name of the counts in the caller's options; those of the offsets follow from it
 * @throws {TypeError} If there is not one number for each rank.
 * @throws {RangeError} If a number is not one of elements.
 */
export function blockLayout(
  kind: string,
  name: string,
  counts: readonly number[] | undefined,
  { offsets, ranks }: { offsets?: readonly number[] | undefined; ranks: number },
): BlockLayout {
  checkNumbers(kind, name, counts, ranks);
  if (offsets === undefined) return { counts: [...counts!], offsets: oneAfterTheOther(counts!) };
  checkNumbers(
    kind,
    name.replace(/[cC]ounts/, (c) => (c === "Counts" ? "Offsets" : "offsets")),
    offsets,
    ranks,
  );
  return { counts: [...counts!], offsets: [...offsets] };
}

/** @throws {RangeError} If a block ends behind the end of the array. */
export function checkFits(
  kind: string,
  name: string,
  array: ElementArray,
  { counts, offsets }: BlockLayout,
): void {
  counts.forEach((count, rank) => {
    if (offsets[rank]! + count > array.length) {
      throw new RangeError(
        `Cannot ${kind}: rank ${rank}'s ${count} elements from ${offsets[rank]} on do not fit ` +
          `${name}, which has ${elements(array)}`,
      );
    }
  });
}

/** @throws {RangeError} If two blocks that are written share an element. */
export function checkDisjoint(kind: string, name: string, { counts, offsets }: BlockLayout): void {
  const blocks = counts
    .map((count, rank) => ({ rank, begin: offsets[rank]!, end: offsets[rank]! + count }))
    .filter(({ begin, end }) => end > begin)
    .sort((a, b) => a.begin - b.begin);
  for (let i = 1; i < blocks.length; i++) {
    const [before, after] = [blocks[i - 1]!, blocks[i]!];
    if (after.begin < before.end) {
      throw new RangeError(
        `Cannot ${kind}: the blocks of ranks ${before.rank} and ${after.rank} overlap in ${name}`,
      );
    }
  }
}
