/** Many arrays as one broadcast. */

import type { Group } from "mlsl";
import { allocateAgreed } from "../agreement/allocateAgreed.js";
import { cutIntoPieces, type Part } from "../agreement/cutIntoPieces.js";

/** Bytes per operation that will do where memory is short: it is slow then, but done only once. */
const LEAST_BYTES = 256;

/**
 * Every rank's arrays become those of the root. They travel one after the other through shared
 * memory that is allocated for it, in as few pieces as fit. A collective operation.
 *
 * @param arrays on all ranks as many, of the same lengths
 */
export function broadcastBytes(group: Group, root: number, arrays: readonly Uint8Array[]): void {
  const counts = arrays.map(({ length }) => length);
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return;
  const wanted = { count: total, least: Math.min(total, LEAST_BYTES) };
  const { array: buffer, owned } = allocateAgreed(group, "uint8", wanted);
  try {
    for (const { count, parts } of cutIntoPieces(counts, buffer.length)) {
      if (group.rank === root) for (const part of parts) buffer.set(rangeOf(arrays, part), part.at);
      group.broadcastSync(buffer.subarray(0, count), { root });
      if (group.rank === root) continue;
      for (const part of parts) {
        rangeOf(arrays, part).set(buffer.subarray(part.at, part.at + part.count));
      }
    }
  } finally {
    group.free(owned);
  }
}

function rangeOf(arrays: readonly Uint8Array[], { index, from, count }: Part): Uint8Array {
  return (arrays[index] as Uint8Array).subarray(from, from + count);
}
