/** Operations under way, as callers see them. */

import { type Entry, isSettled } from "./channel.js";
import type { Progress } from "./progress.js";
import { inlineStatistics, type RequestStatistics, sumOf } from "./requestStatistics.js";

/** An operation under way. */
export interface Request {
  /** True once the operation has completed or failed. */
  readonly done: boolean;
  /** Where its time went; of several operations, the sum. Complete once it is done. */
  readonly statistics: RequestStatistics;
  /**
   * Moves all operations of this rank on as far as they can go without waiting, and tells whether
   * this one has completed.
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

/**
 * An operation that is built once and started again and again, on the same buffers, in the place
 * that each start has among the group's operations.
 */
export interface PersistentRequest extends Request {
  /**
   * Starts the operation; returns itself, to be waited for.
   *
   * @throws {TypeError} If its last start has not completed, or it was freed.
   */
  start(): this;
  /** Gives back what was built. It cannot be started any more. */
  free(): void;
}

/** Requests that {@link grouped} is collecting at the moment. */
let collected: Request[] | undefined;

/** An operation of a group of this rank. */
export class LocalRequest implements Request {
  readonly progress: Progress;
  readonly entry: Entry;

  constructor(progress: Progress, entry: Entry) {
    this.progress = progress;
    this.entry = entry;
    collected?.push(this);
  }

  get done(): boolean {
    return isSettled(this.entry);
  }

  get statistics(): RequestStatistics {
    return statisticsOf(this.entry);
  }

  test(): boolean {
    const settled = this.progress.test(this.entry);
    throwFailure(this.entry);
    return settled;
  }

  async wait(): Promise<void> {
    await this.progress.wait([this.entry]);
    throwFailure(this.entry);
  }

  waitSync(): void {
    if (!this.done) this.progress.waitSync([this.entry]);
    throwFailure(this.entry);
  }
}

/** Where the time of an entry went: its channel knows, or it is the rank's own. */
function statisticsOf(entry: Entry): RequestStatistics {
  return entry.channel.statisticsOf?.(entry) ?? inlineStatistics(entry.exposedMs);
}

/** Throws what an entry failed with, if it did. */
export function throwFailure({ failure }: Entry): void {
  if (failure !== undefined) throw failure;
}

/** How a persistent request is made. */
export interface Startable {
  readonly progress: Progress;
  /** Not started yet. */
  readonly entry: Entry;
  /** Starts the entry. */
  start(): void;
}

/** See {@link PersistentRequest}. */
export class LocalPersistentRequest implements PersistentRequest {
  readonly #startable: Startable;
  #request: LocalRequest | undefined;
  #isFreed = false;

  constructor(startable: Startable) {
    this.#startable = startable;
  }

  get done(): boolean {
    return this.#request?.done ?? false;
  }

  get statistics(): RequestStatistics {
    return statisticsOf(this.#startable.entry);
  }

  start(): this {
    if (this.#isFreed) throw new TypeError("Cannot start a request: it was freed");
    if (this.#request !== undefined && !this.#request.done) {
      throw new TypeError("Cannot start a request: its last start has not completed; wait for it");
    }
    const { progress, entry } = this.#startable;
    this.#startable.start();
    if (this.#request === undefined) this.#request = new LocalRequest(progress, entry);
    else collected?.push(this.#request);
    return this;
  }

  #started(): LocalRequest {
    if (this.#request === undefined) {
      throw new TypeError("Cannot wait for a request that was not started: call start() first");
    }
    return this.#request;
  }

  test(): boolean {
    return this.#started().test();
  }

  async wait(): Promise<void> {
    await this.#started().wait();
  }

  waitSync(): void {
    this.#started().waitSync();
  }

  free(): void {
    if (this.#request !== undefined && !this.#request.done) {
      throw new TypeError("Cannot free a request that has not completed; wait for it");
    }
    this.#isFreed = true;
  }

  /** The request of the last start, for those who wait for several. */
  get request(): LocalRequest {
    return this.#started();
  }
}

/**
 * Starts several operations as one: all that the function starts make up the request that it
 * returns. Nothing in it waits, so sends and receives, also of one side only, and operations of
 * several groups may be started in any order without a deadlock.
 *
 * @param start starts operations by their `…Start` forms; must not wait for any
 * @example
 * ```ts
 * import { grouped, init } from "mlsl";
 *
 * const { world } = await init();
 * const [right, left] = [(world.rank + 1) % world.ranks, (world.rank + world.ranks - 1) % world.ranks];
 * const [mine, theirs] = [Float32Array.of(world.rank), new Float32Array(1)];
 * await grouped(() => {
 *   world.recvStart(theirs, { from: left });
 *   world.sendStart(mine, { to: right });
 * }).wait();
 * ```
 */
export function grouped(start: () => void): Request {
  const outer = collected;
  const requests: Request[] = [];
  collected = requests;
  try {
    start();
  } finally {
    collected = outer;
    outer?.push(...requests);
  }
  return new CombinedRequest(requests);
}

class CombinedRequest implements Request {
  readonly #requests: readonly Request[];

  constructor(requests: readonly Request[]) {
    this.#requests = requests;
  }

  get done(): boolean {
    return this.#requests.every(({ done }) => done);
  }

  get statistics(): RequestStatistics {
    return sumOf(this.#requests.map(({ statistics }) => statistics));
  }

  test(): boolean {
    const failures = failuresOf(this.#requests, (request) => request.test());
    // A failure counts once nothing is under way any more.
    if (!this.done) return false;
    if (failures.length > 0) throw failures[0];
    return true;
  }

  async wait(): Promise<void> {
    await waitAll(this.#requests);
  }

  waitSync(): void {
    waitAllSync(this.#requests);
  }
}

/**
 * Resolves when all requests have completed or failed.
 *
 * @throws The first failure, in the order of the requests, when none is pending any more.
 */
export async function waitAll(requests: readonly Request[]): Promise<void> {
  const outcomes = await Promise.allSettled(requests.map((request) => request.wait()));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/**
 * As {@link waitAll}, blocking.
 *
 * @throws The first failure, in the order of the requests, when none is pending any more.
 */
export function waitAllSync(requests: readonly Request[]): void {
  const failures = failuresOf(requests, (request) => request.waitSync());
  if (failures.length > 0) throw failures[0];
}

/** Does something with each request, and gives what was thrown, in the order of the requests. */
function failuresOf(requests: readonly Request[], act: (request: Request) => void): unknown[] {
  const failures: unknown[] = [];
  for (const request of requests) {
    try {
      act(request);
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}

/** The entries behind requests of one rank. */
function pendingOf(requests: readonly Request[]): LocalRequest[] {
  if (requests.length === 0) throw new RangeError("Cannot wait for any of no requests");
  return requests.map((request) => {
    if (request instanceof LocalRequest) return request;
    if (request instanceof LocalPersistentRequest) return request.request;
    throw new TypeError("Cannot wait for any: requests of single operations are expected");
  });
}

function settledOf(requests: readonly LocalRequest[]): number {
  const index = requests.findIndex(({ done }) => done);
  throwFailure(requests[index]!.entry);
  return index;
}

/**
 * Resolves when one of the requests has completed, to its index; the others stay under way.
 *
 * @param requests of operations of this rank, at least one
 * @throws What the one that settled first failed with.
 */
export async function waitAny(requests: readonly Request[]): Promise<number> {
  const pending = pendingOf(requests);
  await pending[0]!.progress.wait(pending.map(({ entry }) => entry));
  return settledOf(pending);
}

/**
 * As {@link waitAny}, blocking.
 *
 * @param requests of operations of this rank, at least one
 * @throws What the one that settled first failed with.
 */
export function waitAnySync(requests: readonly Request[]): number {
  const pending = pendingOf(requests);
  const isOver = pending.some(({ done }) => done);
  if (!isOver) pending[0]!.progress.waitSync(pending.map(({ entry }) => entry));
  return settledOf(pending);
}
