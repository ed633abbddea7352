// Runs a kernel leaf by leaf and adds the leaves up as the tree of batchTree.ts.
import { type Leaf, treeLevels } from "./batchTree.js";
import type { KernelCalls } from "./calls.js";

/** Bytes of a cache line: every sum begins with one. */
const LINE_BYTES = 64;

/** Where the sums are: `floats` floats each. */
export interface SumRoom {
  /** Address of the result. */
  readonly out: number;
  /** Address of {@link waitingByteLength} bytes for the sums that wait. */
  readonly waiting: number;
  readonly floats: number;
}

const sumByteLength = (floats: number): number =>
  Math.ceil((floats * Float32Array.BYTES_PER_ELEMENT) / LINE_BYTES) * LINE_BYTES;

/** Bytes for the sums of `floats` floats that wait in a tree over `samples` samples. */
export function waitingByteLength(floats: number, samples: number, most?: number): number {
  return treeLevels(samples, most) * sumByteLength(floats);
}

/**
 * Sums the leaves of a tree.
 * @param sumLeaf Writes the sum over the leaf's samples to an address
 */
export function sumLeaves(
  calls: KernelCalls,
  leaves: readonly Leaf[],
  { out, waiting, floats }: SumRoom,
  sumLeaf: (leaf: Leaf, to: number) => void,
): void {
  const place = (height: number): number =>
    height === 0 ? out : waiting + (height - 1) * sumByteLength(floats);
  let height = 0;
  for (const leaf of leaves) {
    sumLeaf(leaf, place(height));
    for (let i = 0; i < leaf.merges; i++, height--) {
      calls.addFloats(place(height - 1), place(height), floats);
    }
    height++;
  }
}
