/**
 * The public face of a group of ranks. An implementation moves the data; this file says what a
 * caller may rely on.
 *
 * Every operation comes in three forms that differ only in how the caller waits:
 *
 * - `allreduce(…)` returns a promise,
 * - `allreduceSync(…)` blocks the calling thread,
 * - `allreduceStart(…)` returns a {@link Request} to be waited for or tested later.
 *
 * All ranks of a group must issue the group's operations in the same order, with the same kind,
 * type, count, operator and root; a difference is a `MismatchError` on every rank before any
 * user data is written. Buffers belong to the operation from its start until it has completed.
 */

import type { DataType, ElementArray } from "../memory/dataTypes.js";

/** How the contributions of the ranks are combined, always in the order of the ranks. */
export type ReduceOp = "sum" | "average" | "min" | "max";

/** Options that every operation takes. */
export interface WaitOptions {
  /**
   * Milliseconds that a wait may last before it fails with a `TimeoutError`.
   *
   * @default the group's, see {@link Group.timeoutMs}
   */
  readonly timeoutMs?: number;
}

/** Options of an all-reduce. */
export interface AllreduceOptions extends WaitOptions {
  /** @default "sum" */
  readonly op?: ReduceOp;
}

/** Options of a broadcast. */
export interface BroadcastOptions extends WaitOptions {
  /**
   * Rank whose data everybody gets.
   *
   * @default 0
   */
  readonly root?: number;
}

/** An operation under way. */
export interface Request {
  /** True once the operation has completed or failed. */
  readonly done: boolean;
  /**
   * Moves the operation on as far as it can without waiting, and tells whether it has completed.
   *
   * @throws What {@link Request.waitSync} throws.
   */
  test(): boolean;
  /** Resolves when the operation has completed. */
  wait(): Promise<void>;
  /**
   * Blocks the calling thread until the operation has completed.
   *
   * @throws {MismatchError} If the ranks did not ask for the same operation.
   * @throws {RankLostError} If a rank ended before it took part.
   * @throws {TimeoutError} If the deadline passed; the error names the ranks that are missing.
   */
  waitSync(): void;
}

/** What a group has done so far, on this rank. */
export interface GroupStatistics {
  /** Operations completed. */
  readonly operations: number;
  /** Bytes of this rank's buffers that they covered. */
  readonly bytes: number;
  /** Milliseconds that this rank's thread was held in communication instead of computing. */
  readonly exposedMs: number;
}

/** A set of ranks that communicate. */
export interface Group {
  /** "world", or the name it was given. */
  readonly name: string;
  /** This rank's number in the group, 0 … ranks−1. */
  readonly rank: number;
  /** How many ranks the group has. */
  readonly ranks: number;
  /** Milliseconds after which a wait fails, unless an operation says otherwise. */
  readonly timeoutMs: number;
  /** What the group has done so far on this rank; a copy. */
  readonly statistics: GroupStatistics;

  /**
   * Memory that every rank of the host can read: operations on it need no copies.
   *
   * @returns an array of `count` zeros, valid until {@link Group.free}
   * @throws {SegmentFullError} If it does not fit; says what is needed, what is available and how
   *   to get more.
   */
  allocate<T extends DataType>(type: T, count: number): ElementArray<T>;
  /**
   * Gives memory back.
   *
   * @throws {TypeError} If the array did not come from {@link Group.allocate} of this group.
   */
  free(array: ElementArray): void;

  /**
   * Combines element i of every rank's `send`; every rank gets the result in `recv`, the same
   * bits everywhere. `send` and `recv` have equal counts and types; in place when they are the
   * same array. float32 and float64.
   */
  allreduce<A extends ElementArray>(send: A, recv: A, options?: AllreduceOptions): Promise<void>;
  /** As {@link Group.allreduce}, blocking. */
  allreduceSync<A extends ElementArray>(send: A, recv: A, options?: AllreduceOptions): void;
  /** As {@link Group.allreduce}, started only. */
  allreduceStart<A extends ElementArray>(send: A, recv: A, options?: AllreduceOptions): Request;

  /** Every rank's `buffer` becomes that of the root. */
  broadcast(buffer: ElementArray, options?: BroadcastOptions): Promise<void>;
  /** As {@link Group.broadcast}, blocking. */
  broadcastSync(buffer: ElementArray, options?: BroadcastOptions): void;
  /** As {@link Group.broadcast}, started only. */
  broadcastStart(buffer: ElementArray, options?: BroadcastOptions): Request;

  /**
   * `recv` holds the ranks' `send` one after the other, in the order of the ranks:
   * count of `recv` = ranks × count of `send`. In place when `send` is this rank's part of `recv`.
   */
  allgather<A extends ElementArray>(send: A, recv: A, options?: WaitOptions): Promise<void>;
  /** As {@link Group.allgather}, blocking. */
  allgatherSync<A extends ElementArray>(send: A, recv: A, options?: WaitOptions): void;
  /** As {@link Group.allgather}, started only. */
  allgatherStart<A extends ElementArray>(send: A, recv: A, options?: WaitOptions): Request;

  /** Nobody passes before everybody has come. */
  barrier(options?: WaitOptions): Promise<void>;
  /** As {@link Group.barrier}, blocking. */
  barrierSync(options?: WaitOptions): void;
  /** As {@link Group.barrier}, started only. */
  barrierStart(options?: WaitOptions): Request;
}
