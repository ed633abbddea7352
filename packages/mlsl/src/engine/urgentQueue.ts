/** A queue from which the most urgent comes first, and now and then the one that has waited most. */

/** What can be queued: smaller `urgency` comes first, among equals smaller `order`. */
export interface Urgent {
  readonly urgency: number;
  /** Number of its start on this rank: smaller is older. */
  readonly order: number;
}

/** Entries of one request: all of them are as urgent as it is, and leave in the order they came. */
interface Lane<R extends Urgent> {
  readonly request: R;
  ops: number[];
  /** Ops before this index have left. */
  taken: number;
}

/** A binary heap of requests, each with its operations that are ready. */
export class UrgentQueue<R extends Urgent> {
  readonly #heap: Lane<R>[] = [];
  readonly #lanes = new Map<R, Lane<R>>();

  /** Whether there is nothing. */
  get isEmpty(): boolean {
    return this.#heap.length === 0;
  }

  /** Adds an operation of a request. */
  push(request: R, op: number): void {
    const lane = this.#lanes.get(request);
    if (lane !== undefined) {
      lane.ops.push(op);
      return;
    }
    const added = { request, ops: [op], taken: 0 };
    this.#lanes.set(request, added);
    this.#heap.push(added);
    this.#rise(this.#heap.length - 1);
  }

  /** The most urgent request. */
  get first(): R | undefined {
    return this.#heap[0]?.request;
  }

  /** The request that was started first. */
  get oldest(): R | undefined {
    let oldest: R | undefined;
    for (const { request } of this.#heap) {
      if (oldest === undefined || request.order < oldest.order) oldest = request;
    }
    return oldest;
  }

  /** The next operation of a request that is in the queue. */
  peek(request: R): number {
    const lane = this.#lanes.get(request)!;
    return lane.ops[lane.taken]!;
  }

  /** Takes the next operation of a request that is in the queue. */
  take(request: R): number {
    const lane = this.#lanes.get(request)!;
    const op = lane.ops[lane.taken]!;
    lane.taken++;
    if (lane.taken === lane.ops.length) this.remove(request);
    return op;
  }

  /** Drops all of a request. */
  remove(request: R): void {
    const lane = this.#lanes.get(request);
    if (lane === undefined) return;
    this.#lanes.delete(request);
    const index = this.#heap.indexOf(lane);
    const last = this.#heap.pop()!;
    if (last === lane) return;
    this.#heap[index] = last;
    this.#rise(index);
    this.#sink(index);
  }

  #isBefore(a: number, b: number): boolean {
    const [x, y] = [this.#heap[a]!.request, this.#heap[b]!.request];
    return x.urgency < y.urgency || (x.urgency === y.urgency && x.order < y.order);
  }

  #swap(a: number, b: number): void {
    const lane = this.#heap[a]!;
    this.#heap[a] = this.#heap[b]!;
    this.#heap[b] = lane;
  }

  #rise(from: number): void {
    let index = from;
    while (index > 0) {
      const parent = Math.floor((index - 1) / 2);
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(from: number): void {
    let index = from;
    for (;;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let least = index;
      if (left < this.#heap.length && this.#isBefore(left, least)) least = left;
      if (right < this.#heap.length && this.#isBefore(right, least)) least = right;
      if (least === index) return;
      this.#swap(index, least);
      index = least;
    }
  }
}
