/** A group whose ranks all share one segment. */

import type { Kernels } from "../kernels/kernels.js";
import type { DataType, ElementArray } from "../memory/dataTypes.js";
import type { Segment } from "../memory/segment.js";
import type {
  AllreduceOptions,
  BroadcastOptions,
  Group,
  GroupStatistics,
  Request,
  WaitOptions,
} from "./api.js";
import {
  allgatherOperation,
  allreduceOperation,
  barrierOperation,
  broadcastOperation,
} from "./arguments.js";
import { Execution } from "./execution.js";
import { groupMemory } from "./groupMemory.js";
import type { Operation } from "./operation.js";
import { type Prepared, prepare } from "./prepared.js";
import { type Entry, OperationQueue } from "./queue.js";

class LocalRequest implements Request {
  readonly #queue: OperationQueue;
  readonly #entry: Entry;

  constructor(queue: OperationQueue, entry: Entry) {
    this.#queue = queue;
    this.#entry = entry;
  }

  get done(): boolean {
    return this.#entry.state === "done" || this.#entry.state === "failed";
  }

  test(): boolean {
    return this.#queue.progress(this.#entry, 0);
  }

  wait(): Promise<void> {
    return this.#queue.wait(this.#entry);
  }

  waitSync(): void {
    this.#queue.waitSync(this.#entry);
  }
}

/** What a local group is made of. */
export interface LocalGroupOptions {
  readonly name: string;
  readonly segment: Segment;
  readonly kernels: Kernels;
  /** Byte offset of the group's control block, zeroed, the same on every rank. */
  readonly controlOffset: number;
  readonly timeoutMs: number;
  /** Whether ranks must share cores: they then sleep instead of spinning. */
  readonly crowded: boolean;
}

/** See {@link Group}. */
export class LocalGroup implements Group {
  readonly name: string;
  readonly rank: number;
  readonly ranks: number;
  readonly timeoutMs: number;
  readonly #segment: Segment;
  readonly #queue: OperationQueue;
  /** Training repeats itself: what was prepared for the last all-reduce often serves the next. */
  #lastAllreduce: Prepared | undefined;

  constructor({ name, segment, kernels, controlOffset, timeoutMs, crowded }: LocalGroupOptions) {
    this.name = name;
    this.rank = segment.rank;
    this.ranks = segment.ranks;
    this.timeoutMs = timeoutMs;
    this.#segment = segment;
    const memory = groupMemory(segment, controlOffset);
    const place = { group: name, rank: segment.rank };
    const execution = new Execution({ segment, kernels, memory, place });
    this.#queue = new OperationQueue({ segment, memory, execution, place, crowded });
  }

  get statistics(): GroupStatistics {
    return { ...this.#queue.counters };
  }

  allocate<T extends DataType>(type: T, count: number): ElementArray<T> {
    return this.#segment.allocate(type, count);
  }

  free(array: ElementArray): void {
    this.#segment.free(array);
  }

  #start(operation: Operation, options: WaitOptions | undefined): Entry {
    return this.#enqueue(prepare(operation, this.#segment), options);
  }

  #enqueue(prepared: Prepared, options: WaitOptions | undefined): Entry {
    return this.#queue.start(prepared, options?.timeoutMs ?? this.timeoutMs);
  }

  #request(entry: Entry): Request {
    return new LocalRequest(this.#queue, entry);
  }

  /** Checks and prepares an all-reduce, or finds that the last one was the same. */
  #startAllreduce<A extends ElementArray>(send: A, recv: A, options?: AllreduceOptions): Entry {
    const last = this.#lastAllreduce?.operation;
    const same = last?.send === send && last.recv === recv && last.op === (options?.op ?? "sum");
    if (!same) {
      const prepared = prepare(allreduceOperation(send, recv, options), this.#segment);
      // Only an array of the segment is sure to keep its length and place.
      const isFixed = !prepared.sendOutside && !prepared.recvOutside;
      this.#lastAllreduce = isFixed ? prepared : undefined;
      return this.#enqueue(prepared, options);
    }
    return this.#enqueue(this.#lastAllreduce!, options);
  }

  allreduceStart<A extends ElementArray>(send: A, recv: A, options?: AllreduceOptions): Request {
    return this.#request(this.#startAllreduce(send, recv, options));
  }

  allreduceSync<A extends ElementArray>(send: A, recv: A, options?: AllreduceOptions): void {
    this.#queue.waitSync(this.#startAllreduce(send, recv, options));
  }

  async allreduce<A extends ElementArray>(
    send: A,
    recv: A,
    options?: AllreduceOptions,
  ): Promise<void> {
    await this.#queue.wait(this.#startAllreduce(send, recv, options));
  }

  broadcastStart(buffer: ElementArray, options?: BroadcastOptions): Request {
    return this.#request(this.#start(broadcastOperation(buffer, this, options), options));
  }

  broadcastSync(buffer: ElementArray, options?: BroadcastOptions): void {
    this.#queue.waitSync(this.#start(broadcastOperation(buffer, this, options), options));
  }

  async broadcast(buffer: ElementArray, options?: BroadcastOptions): Promise<void> {
    await this.#queue.wait(this.#start(broadcastOperation(buffer, this, options), options));
  }

  allgatherStart<A extends ElementArray>(send: A, recv: A, options?: WaitOptions): Request {
    return this.#request(this.#start(allgatherOperation(send, recv, this), options));
  }

  allgatherSync<A extends ElementArray>(send: A, recv: A, options?: WaitOptions): void {
    this.#queue.waitSync(this.#start(allgatherOperation(send, recv, this), options));
  }

  async allgather<A extends ElementArray>(send: A, recv: A, options?: WaitOptions): Promise<void> {
    await this.#queue.wait(this.#start(allgatherOperation(send, recv, this), options));
  }

  barrierStart(options?: WaitOptions): Request {
    return this.#request(this.#start(barrierOperation(), options));
  }

  barrierSync(options?: WaitOptions): void {
    this.#queue.waitSync(this.#start(barrierOperation(), options));
  }

  async barrier(options?: WaitOptions): Promise<void> {
    await this.#queue.wait(this.#start(barrierOperation(), options));
  }
}
