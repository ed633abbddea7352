/** Shared memory of a size that all ranks can afford. */

import type { DataType, ElementArray, Group } from "mlsl";

/** How much memory is wanted. */
export interface Wanted {
  /** Elements that would be best. */
  readonly count: number;
  /** Elements below which nothing can be done. */
  readonly least: number;
}

/**
 * Elements of a buffer that is only a part of what would be best: 25 MiB of float32. An operation
 * of that size takes about a millisecond, so its fixed cost no longer shows.
 */
const BUCKET_COUNT = (25 * 1024 * 1024) / 4;

/**
 * Allocates the wanted elements; where they do not fit, a bucket of at most 6,553,600 elements, or
 * half of that, and so on. Every rank gets the same count. A collective operation.
 *
 * @returns an array of the agreed count and what must be given to `group.free` in the end
 * @throws {SegmentFullError} If not even the least fits on this rank.
 * @throws {RangeError} If it does not fit on another rank.
 */
export function allocateAgreed<T extends DataType>(
  group: Group,
  type: T,
  wanted: Wanted,
): { readonly array: ElementArray<T>; readonly owned: ElementArray<T> } {
  const attempt = allocateSome(group, type, wanted);
  const count = Float64Array.of(attempt.owned?.length ?? 0);
  group.allreduceSync(count, count, { op: "min" });
  const agreed = count[0] as number;
  if (attempt.owned === undefined) throw attempt.error;
  if (agreed === 0) {
    group.free(attempt.owned);
    throw new RangeError(
      `Cannot allocate ${wanted.least} ${type} elements of shared memory: they fit on rank ` +
        `${group.rank}, but not on another one; free memory there or give all ranks more`,
    );
  }
  const array = attempt.owned.subarray(0, agreed) as ElementArray<T>;
  return { array, owned: attempt.owned };
}

type Attempt<T extends DataType> =
  | { readonly owned: ElementArray<T>; readonly error?: undefined }
  | { readonly owned: undefined; readonly error: unknown };

function allocateSome<T extends DataType>(group: Group, type: T, wanted: Wanted): Attempt<T> {
  let count = wanted.count;
  for (;;) {
    try {
      return { owned: group.allocate(type, count) };
    } catch (error) {
      if (!isSegmentFull(error)) throw error;
      if (count <= wanted.least) return { owned: undefined, error };
      count = Math.max(wanted.least, Math.min(BUCKET_COUNT, Math.floor(count / 2)));
    }
  }
}

function isSegmentFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "MLSL_SEGMENT_FULL";
}
