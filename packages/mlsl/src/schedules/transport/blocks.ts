/** How a buffer is divided into blocks, one per rank. Everything is in elements. */

import { region } from "./scheduleBuilder.js";
import type { BufferName, Region } from "./steps.js";

/** Blocks numbered from 0. */
export interface Blocks {
  count(index: number): number;
  offset(index: number): number;
}

/** Blocks of the same count, one after the other. */
export function equalBlocks(count: number): Blocks {
  return { count: () => count, offset: (index) => index * count };
}

/**
 * A vector divided as evenly as possible: the first blocks have one element more where it does not
 * come out even, and the last are empty where there are fewer elements than blocks.
 */
export function evenBlocks(count: number, blocks: number): Blocks {
  const share = Math.floor(count / blocks);
  const more = count - share * blocks;
  return {
    count: (index) => share + (index < more ? 1 : 0),
    offset: (index) => index * share + Math.min(index, more),
  };
}

/** Blocks that lie where a list says. */
export function listedBlocks(counts: readonly number[], offsets: readonly number[]): Blocks {
  return { count: (index) => counts[index]!, offset: (index) => offsets[index]! };
}

/** Blocks of different counts, one after the other. */
export function adjacentBlocks(counts: readonly number[]): Blocks {
  return listedBlocks(counts, prefixSums(counts));
}

/** The sum of all counts before each; one longer than the list, its last is the total. */
export function prefixSums(counts: readonly number[]): number[] {
  const sums = [0];
  for (const count of counts) sums.push(sums.at(-1)! + count);
  return sums;
}

/** One block as a region. */
export function blockRegion(buffer: BufferName, blocks: Blocks, index: number): Region {
  return region(buffer, blocks.offset(index), blocks.count(index));
}

/**
 * Blocks [first, end) as few regions: neighbours that touch become one. Both sides of a message
 * know the same blocks, so they cut it alike.
 */
export function blockRegions(
  buffer: BufferName,
  blocks: Blocks,
  { first, end }: { readonly first: number; readonly end: number },
): Region[] {
  const regions: Region[] = [];
  for (let index = first; index < end; index++) {
    const next = blockRegion(buffer, blocks, index);
    const last = regions.at(-1);
    if (next.count === 0) continue;
    if (last !== undefined && last.offset + last.count === next.offset) {
      regions[regions.length - 1] = region(buffer, last.offset, last.count + next.count);
    } else {
      regions.push(next);
    }
  }
  return regions;
}
