/**
 * The public face of a group of ranks. An implementation moves the data; this file says what a
 * caller may rely on.
 *
 * Every operation comes in four forms that differ only in how the caller waits:
 *
 * - `allreduce(…)` returns a promise,
 * - `allreduceSync(…)` blocks the calling thread,
 * - `allreduceStart(…)` returns a {@link Request} to be waited for or tested later,
 * - `allreducePersistent(…)` returns a {@link PersistentRequest}, built once, started every step.
 *
 * All ranks of a group must issue the group's collectives in the same order, with the same kind,
 * type, count, operator and root; a difference is a `MismatchError` on every rank before any
 * user data is written. With progress workers, requests with a `name` may be started in another
 * order than those of other names. Buffers belong to the operation from its start until it has completed.
 * Operations on no elements complete in one meeting, in the same order as all others.
 */

import type { DataType, ElementArray } from "../memory/dataTypes.js";
import type {
  AlgorithmOptions,
  BlockOptions,
  ExchangeOptions,
  RecvOptions,
  ReduceBlockOptions,
  ReducedInto,
  ReduceOptions,
  ReduceRootOptions,
  RootBlockOptions,
  RootOptions,
  SendOptions,
  SendrecvOptions,
} from "./options.js";
import type { PersistentRequest, Request } from "./requests/requests.js";

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
   * @throws {TypeError} If the array did not come from {@link Group.allocate}, or is in use by an
   *   operation.
   */
  free(array: ElementArray): void;

  /**
   * Converts float32 to a 16-bit float type, or back; not a collective. Rounds to nearest, ties to
   * even; fast when both arrays lie in shared memory.
   *
   * @param source float32, float16 or bfloat16
   * @param target of the same count: a 16-bit type for float32, float32 for a 16-bit type
   * @throws {TypeError} If the types are others, or the target is in use by an operation.
   * @throws {RangeError} If counts differ or the arrays overlap.
   */
  convert(source: ElementArray, target: ElementArray): void;

  /**
   * Makes groups of those ranks that name the same colour. Collective: every rank of this group
   * calls it.
   *
   * @param color a whole number; ranks with −1 get no group
   * @param key ranks are ordered by it in the new group, by their rank in this one where keys are
   *   equal. @default 0
   * @returns this rank's new group; undefined for colour −1
   * @throws {TypeError} If colour or key is not a whole number.
   * @throws {SegmentFullError} If there is no memory for it on this rank; the other ranks of the new
   *   group get an error that names this one.
   * @example
   * ```ts
   * import { init } from "mlsl";
   *
   * const { world } = await init();
   * const pair = await world.split(Math.floor(world.rank / 2));
   * await pair?.barrier();
   * await pair?.close();
   * ```
   */
  split(color: number, key?: number): Promise<Group | undefined>;
  /** As {@link Group.split}, blocking. */
  splitSync(color: number, key?: number): Group | undefined;
  /**
   * Makes a group of a list of ranks of this group, in their order. Collective: every rank of this
   * group calls it, those that are in the list with the same list, the others with any list without
   * them (an empty one, or that of another group).
   *
   * @returns the new group; undefined on ranks that are not in their list
   * @throws {RangeError} If the list holds a rank twice, or one that the group does not have.
   * @throws {Error} On all ranks, if those that are in a list do not give the same one.
   */
  subgroup(ranks: readonly number[]): Promise<Group | undefined>;
  /** As {@link Group.subgroup}, blocking. */
  subgroupSync(ranks: readonly number[]): Group | undefined;
  /**
   * Gives the group back, with all memory that belongs to it. Collective. Nothing can be started in
   * it afterwards; groups that were made of it live on.
   *
   * @throws {TypeError} If it is the world, or something is pending in it.
   */
  close(): Promise<void>;
  /** As {@link Group.close}, blocking. */
  closeSync(): void;

  /**
   * Combines element i of every rank's `send`; every rank gets the result in `recv`, the same
   * bits everywhere. `send` and `recv` have equal counts and types; in place when they are the
   * same array.
   */
  allreduce<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Promise<void>;
  /** As {@link Group.allreduce}, blocking. */
  allreduceSync<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): void;
  /** As {@link Group.allreduce}, started only. */
  allreduceStart<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Request;
  /** As {@link Group.allreduce}, to be started again and again. */
  allreducePersistent<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): PersistentRequest;

  /**
   * As {@link Group.allreduce}, but only the root gets the result; elsewhere `recv` is ignored
   * (with `widen` its type is not).
   */
  reduce<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): Promise<void>;
  /** As {@link Group.reduce}, blocking. */
  reduceSync<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): void;
  /** As {@link Group.reduce}, started only. */
  reduceStart<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): Request;
  /** As {@link Group.reduce}, to be started again and again. */
  reducePersistent<A extends ElementArray, O extends ReduceRootOptions = ReduceRootOptions>(
    send: A,
    recv: ReducedInto<A, O> | undefined,
    options?: O,
  ): PersistentRequest;

  /**
   * Combines element i of every rank's `send`; rank r gets the r-th block of the result, of the
   * count of `recv`: count of `send` = ranks × count of `recv`. In place when `recv` is this
   * rank's part of `send`.
   */
  reduceScatter<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Promise<void>;
  /** As {@link Group.reduceScatter}, blocking. */
  reduceScatterSync<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): void;
  /** As {@link Group.reduceScatter}, started only. */
  reduceScatterStart<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): Request;
  /** As {@link Group.reduceScatter}, to be started again and again. */
  reduceScatterPersistent<A extends ElementArray, O extends ReduceOptions = ReduceOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options?: O,
  ): PersistentRequest;

  /**
   * As {@link Group.reduceScatter} with a count of its own for each rank's block; the blocks
   * follow each other in `send`.
   */
  reduceScatterv<A extends ElementArray, O extends ReduceBlockOptions = ReduceBlockOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options: O,
  ): Promise<void>;
  /** As {@link Group.reduceScatterv}, blocking. */
  reduceScattervSync<A extends ElementArray, O extends ReduceBlockOptions = ReduceBlockOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options: O,
  ): void;
  /** As {@link Group.reduceScatterv}, started only. */
  reduceScattervStart<A extends ElementArray, O extends ReduceBlockOptions = ReduceBlockOptions>(
    send: A,
    recv: ReducedInto<A, O>,
    options: O,
  ): Request;
  /** As {@link Group.reduceScatterv}, to be started again and again. */
  reduceScattervPersistent<
    A extends ElementArray,
    O extends ReduceBlockOptions = ReduceBlockOptions,
  >(send: A, recv: ReducedInto<A, O>, options: O): PersistentRequest;

  /**
   * Every rank's `buffer` becomes that of the root.
   */
  broadcast(buffer: ElementArray, options?: RootOptions): Promise<void>;
  /** As {@link Group.broadcast}, blocking. */
  broadcastSync(buffer: ElementArray, options?: RootOptions): void;
  /** As {@link Group.broadcast}, started only. */
  broadcastStart(buffer: ElementArray, options?: RootOptions): Request;
  /** As {@link Group.broadcast}, to be started again and again. */
  broadcastPersistent(buffer: ElementArray, options?: RootOptions): PersistentRequest;

  /**
   * `recv` holds the ranks' `send` one after the other, in the order of the ranks:
   * count of `recv` = ranks × count of `send`. In place when `send` is this rank's part of `recv`.
   */
  allgather<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Promise<void>;
  /** As {@link Group.allgather}, blocking. */
  allgatherSync<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): void;
  /** As {@link Group.allgather}, started only. */
  allgatherStart<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Request;
  /** As {@link Group.allgather}, to be started again and again. */
  allgatherPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): PersistentRequest;

  /**
   * As {@link Group.allgather} with a count of its own for each rank; all ranks give all counts.
   * Between blocks `recv` stays as it is.
   */
  allgatherv<A extends ElementArray>(send: A, recv: A, options: BlockOptions): Promise<void>;
  /** As {@link Group.allgatherv}, blocking. */
  allgathervSync<A extends ElementArray>(send: A, recv: A, options: BlockOptions): void;
  /** As {@link Group.allgatherv}, started only. */
  allgathervStart<A extends ElementArray>(send: A, recv: A, options: BlockOptions): Request;
  /** As {@link Group.allgatherv}, to be started again and again. */
  allgathervPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options: BlockOptions,
  ): PersistentRequest;

  /**
   * As {@link Group.allgather}, but only the root gets the result; elsewhere `recv` is ignored.
   */
  gather<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): Promise<void>;
  /** As {@link Group.gather}, blocking. */
  gatherSync<A extends ElementArray>(send: A, recv: A | undefined, options?: RootOptions): void;
  /** As {@link Group.gather}, started only. */
  gatherStart<A extends ElementArray>(send: A, recv: A | undefined, options?: RootOptions): Request;
  /** As {@link Group.gather}, to be started again and again. */
  gatherPersistent<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootOptions,
  ): PersistentRequest;

  /**
   * As {@link Group.gather} with a count of its own for each rank, which only the root needs to
   * know: another count than a rank sends is a `MismatchError` on all.
   */
  gatherv<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): Promise<void>;
  /** As {@link Group.gatherv}, blocking. */
  gathervSync<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): void;
  /** As {@link Group.gatherv}, started only. */
  gathervStart<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): Request;
  /** As {@link Group.gatherv}, to be started again and again. */
  gathervPersistent<A extends ElementArray>(
    send: A,
    recv: A | undefined,
    options?: RootBlockOptions,
  ): PersistentRequest;

  /**
   * Rank r gets the r-th part of the root's `send` in `recv`: count of `send` = ranks × count of
   * `recv`; elsewhere `send` is ignored. In place when the root's `recv` is its part of `send`.
   */
  scatter<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): Promise<void>;
  /** As {@link Group.scatter}, blocking. */
  scatterSync<A extends ElementArray>(send: A | undefined, recv: A, options?: RootOptions): void;
  /** As {@link Group.scatter}, started only. */
  scatterStart<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): Request;
  /** As {@link Group.scatter}, to be started again and again. */
  scatterPersistent<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootOptions,
  ): PersistentRequest;

  /**
   * As {@link Group.scatter} with a count of its own for each rank, which only the root needs to
   * know: another count than a rank expects is a `MismatchError` on all.
   */
  scatterv<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): Promise<void>;
  /** As {@link Group.scatterv}, blocking. */
  scattervSync<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): void;
  /** As {@link Group.scatterv}, started only. */
  scattervStart<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): Request;
  /** As {@link Group.scatterv}, to be started again and again. */
  scattervPersistent<A extends ElementArray>(
    send: A | undefined,
    recv: A,
    options?: RootBlockOptions,
  ): PersistentRequest;

  /**
   * Part r of `recv` becomes this rank's part of rank r's `send`; all parts have count / ranks
   * elements. In place when `send` and `recv` are the same array.
   */
  alltoall<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Promise<void>;
  /** As {@link Group.alltoall}, blocking. */
  alltoallSync<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): void;
  /** As {@link Group.alltoall}, started only. */
  alltoallStart<A extends ElementArray>(send: A, recv: A, options?: AlgorithmOptions): Request;
  /** As {@link Group.alltoall}, to be started again and again. */
  alltoallPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AlgorithmOptions,
  ): PersistentRequest;

  /**
   * As {@link Group.alltoall} with counts of their own. A pair of ranks that does not agree on a
   * count is a `MismatchError` on all ranks, which names the pair. Not in place.
   */
  alltoallv<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): Promise<void>;
  /** As {@link Group.alltoallv}, blocking. */
  alltoallvSync<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): void;
  /** As {@link Group.alltoallv}, started only. */
  alltoallvStart<A extends ElementArray>(send: A, recv: A, options: ExchangeOptions): Request;
  /** As {@link Group.alltoallv}, to be started again and again. */
  alltoallvPersistent<A extends ElementArray>(
    send: A,
    recv: A,
    options: ExchangeOptions,
  ): PersistentRequest;

  /**
   * Nobody passes before everybody has come.
   */
  barrier(options?: AlgorithmOptions): Promise<void>;
  /** As {@link Group.barrier}, blocking. */
  barrierSync(options?: AlgorithmOptions): void;
  /** As {@link Group.barrier}, started only. */
  barrierStart(options?: AlgorithmOptions): Request;
  /** As {@link Group.barrier}, to be started again and again. */
  barrierPersistent(options?: AlgorithmOptions): PersistentRequest;

  /**
   * Sends a message to one rank. Messages with the same tag arrive in the order in which they were
   * sent. Completes when `buffer` may be changed: at once for messages up to 64 KiB, which are
   * copied; when the receiver has taken it for longer ones, or after some milliseconds, when it is
   * copied aside, if there is memory. A failure concerns this message only, the group lives on.
   *
   * @throws {SegmentFullError} If there is no memory to send it; nothing has happened then.
   */
  send(buffer: ElementArray, options: SendOptions): Promise<void>;
  /** As {@link Group.send}, blocking. */
  sendSync(buffer: ElementArray, options: SendOptions): void;
  /** As {@link Group.send}, started only. */
  sendStart(buffer: ElementArray, options: SendOptions): Request;
  /** As {@link Group.send}, to be started again and again. */
  sendPersistent(buffer: ElementArray, options: SendOptions): PersistentRequest;

  /**
   * Receives a message from one rank. Type and count must be those of the message; otherwise it is
   * a `MismatchError` here, and on the sender unless its send has completed already. A failure
   * concerns this message only, the group lives on.
   */
  recv(buffer: ElementArray, options: RecvOptions): Promise<void>;
  /** As {@link Group.recv}, blocking. */
  recvSync(buffer: ElementArray, options: RecvOptions): void;
  /** As {@link Group.recv}, started only. */
  recvStart(buffer: ElementArray, options: RecvOptions): Request;
  /** As {@link Group.recv}, to be started again and again. */
  recvPersistent(buffer: ElementArray, options: RecvOptions): PersistentRequest;

  /**
   * A {@link Group.send} and a {@link Group.recv} at once, in which nobody waits for nobody.
   */
  sendrecv(send: ElementArray, recv: ElementArray, options: SendrecvOptions): Promise<void>;
  /** As {@link Group.sendrecv}, blocking. */
  sendrecvSync(send: ElementArray, recv: ElementArray, options: SendrecvOptions): void;
  /** As {@link Group.sendrecv}, started only. */
  sendrecvStart(send: ElementArray, recv: ElementArray, options: SendrecvOptions): Request;
  /** As {@link Group.sendrecv}, to be started again and again. */
  sendrecvPersistent(
    send: ElementArray,
    recv: ElementArray,
    options: SendrecvOptions,
  ): PersistentRequest;
}
