/** Each rank's share of the samples. */

import { gather, Tensor, tensor1d, tidy } from "@tensorflow/tfjs-core";
import { shuffleIndices } from "./shuffleIndices.js";

/** A place in a group; every group is one. */
export interface Place {
  /** 0 … ranks−1. */
  readonly rank: number;
  /** How many ranks there are. */
  readonly ranks: number;
}

/** Options of {@link shard}. */
export interface ShardOptions {
  /**
   * Integer, 0 … 2^32−1: the samples are dealt in an order of its own, the same on all ranks and
   * for all data of as many samples; so images and labels stay together.
   *
   * @default none: they are dealt in the order in which they are
   */
  readonly seed?: number;
}

/**
 * This rank's samples: of n ranks, rank r gets samples r, r + n, r + 2n and so on, as a hand of
 * cards is dealt. Every sample goes to one rank, and the ranks' counts differ by at most one.
 *
 * Dealt like this, batch k of b samples on each rank is, all ranks together, batch k of n·b samples
 * of the whole: training without shuffling goes through the same mini-batches as one rank would.
 * (`model.fit` shuffles each rank's samples in every epoch unless told `shuffle: false`.)
 *
 * @param data as `model.fit` takes it: a tensor with the samples along its first axis, an array of
 *   such tensors, or an object of them by name; or any other array, of samples
 * @returns new tensors of the same type and shape but for the first axis, which belong to the
 *   caller, as the given ones still do. A group of one rank, without a seed, gets the data itself.
 * @throws {RangeError} If there are fewer samples than ranks, tensors differ in their numbers of
 *   samples, or the seed is out of range.
 * @throws {TypeError} If the data is none of the above.
 */
export function shard<T extends ShardableData>(data: T, group: Place, options?: ShardOptions): T {
  const count = countSamples(data);
  if (count < group.ranks) {
    throw new RangeError(
      `Cannot shard ${count} samples over ${group.ranks} ranks: expected at least as many ` +
        `samples; use at most ${count} ranks`,
    );
  }
  const order = options?.seed === undefined ? undefined : shuffleIndices(count, options.seed);
  if (group.ranks === 1 && !order) return data;
  const own = Math.floor((count - 1 - group.rank) / group.ranks) + 1;
  const indices = Int32Array.from({ length: own }, (_, k) => {
    const place = group.rank + k * group.ranks;
    return order ? (order[place] as number) : place;
  });
  return pick(data, indices) as T;
}

/** Data that can be dealt. */
export type ShardableData = Tensor | { readonly [name: string]: Tensor } | readonly unknown[];

function areTensors(data: readonly unknown[]): data is readonly Tensor[] {
  return data.length > 0 && data.every((item) => item instanceof Tensor);
}

function countSamples(data: ShardableData): number {
  if (data instanceof Tensor) {
    if (data.shape[0] !== undefined) return data.shape[0];
    throw new TypeError(
      "Cannot shard a scalar: expected a tensor with samples along its first axis",
    );
  }
  if (Array.isArray(data) && !areTensors(data)) return (data as readonly unknown[]).length;
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data)) {
    throw new TypeError(
      `Cannot shard ${Object.prototype.toString.call(data)}: expected a tensor, an array, ` +
        "or an object of tensors; give numbers their shape by tf.tensor",
    );
  }
  const counts = Object.entries(data).map(
    ([name, item]) => [name, countTensor(name, item)] as const,
  );
  const [first] = counts;
  const other = counts.find(([, count]) => count !== first?.[1]);
  if (!first || other) {
    throw new RangeError(
      "Cannot shard tensors: expected as many samples in each, got " +
        (first && other ? `${first[1]} in "${first[0]}" and ${other[1]} in "${other[0]}"` : "none"),
    );
  }
  return first[1];
}

function countTensor(name: string, item: unknown): number {
  if (item instanceof Tensor) return countSamples(item);
  throw new TypeError(`Cannot shard "${name}": expected a tensor, got ${String(item)}`);
}

function pick(data: ShardableData, indices: Int32Array): ShardableData {
  if (data instanceof Tensor) return tidy(() => gather(data, tensor1d(indices, "int32")));
  if (Array.isArray(data)) {
    const list: readonly unknown[] = data;
    if (areTensors(list)) return list.map((item) => pick(item, indices));
    return Array.from(indices, (index) => list[index]);
  }
  const entries = Object.entries(data as Record<string, Tensor>);
  return Object.fromEntries(entries.map(([name, item]) => [name, pick(item, indices) as Tensor]));
}
