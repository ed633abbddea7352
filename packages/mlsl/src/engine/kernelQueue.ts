/** The kernels of an engine that can run, and which of them should run next. */

import type { DataPart } from "./frames.js";
import { OLDEST_EVERY } from "./order.js";
import type { EngineRequest } from "./request.js";
import { UrgentQueue } from "./urgentQueue.js";

/** Work on this rank's memory: a copy, or what is done with a chunk that has arrived. */
export interface Kernel {
  readonly request: EngineRequest;
  readonly op: number;
  /** The chunk; undefined for a copy. */
  readonly part: DataPart | undefined;
}

/** See above. */
export class KernelQueue {
  readonly #queue = new UrgentQueue<EngineRequest>();
  readonly #reusesObjects: boolean;
  /** The last kernel. */
  #kernel: { -readonly [K in keyof Kernel]: Kernel[K] } | undefined;
  #taken = 0;

  /** @param reusesObjects whether a kernel is done when the next is asked for: all are then one object */
  constructor(reusesObjects: boolean) {
    this.#reusesObjects = reusesObjects;
  }

  get isEmpty(): boolean {
    return this.#queue.isEmpty;
  }

  /** The oldest request with a kernel. */
  get oldest(): EngineRequest | undefined {
    return this.#queue.oldest;
  }

  push(request: EngineRequest, op: number): void {
    this.#queue.push(request, op);
  }

  /** Drops all of a request. */
  remove(request: EngineRequest): void {
    this.#queue.remove(request);
  }

  /** The kernel that should run next. */
  next(nowMs: number): Kernel | undefined {
    const { first } = this.#queue;
    if (first === undefined) return undefined;
    const isOldest = ++this.#taken % OLDEST_EVERY === 0;
    const request = isOldest ? this.#queue.oldest! : first;
    const op = this.#queue.take(request);
    request.moved(nowMs);
    return this.#kernelOf(request, op);
  }

  #kernelOf(request: EngineRequest, op: number): Kernel {
    const part = request.takeKept(op);
    const kernel = this.#kernel;
    if (kernel === undefined || !this.#reusesObjects) {
      this.#kernel = { request, op, part };
      return this.#kernel;
    }
    kernel.request = request;
    kernel.op = op;
    kernel.part = part;
    return kernel;
  }
}
