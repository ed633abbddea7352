/**
 * Memory of this rank that others may still look at is given back late: by the way, or when memory is
 * short.
 */

import { SegmentFullError } from "../../errors/segmentFullError.js";

/** Those that can give memory back when it is needed. */
export class Reclaimers {
  readonly #all = new Set<() => void>();

  add(reclaim: () => void): void {
    this.#all.add(reclaim);
  }

  delete(reclaim: () => void): void {
    this.#all.delete(reclaim);
  }

  /** Gives back everything that nobody looks at any more. */
  reclaim(): void {
    for (const reclaim of this.#all) reclaim();
  }

  /**
   * Takes memory, if need be after all others have given back what they can.
   *
   * @param take called once more when it threw for want of memory; has taken nothing then
   * @throws {SegmentFullError} If there is still too little.
   */
  take<T>(take: () => T): T {
    try {
      return take();
    } catch (error) {
      if (!(error instanceof SegmentFullError)) throw error;
      this.reclaim();
      return take();
    }
  }
}
