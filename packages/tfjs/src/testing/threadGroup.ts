/**
 * A group of worker threads for tests: as simple as can be, and slow. Every operation copies
 * through one slot per rank, piece by piece, with a barrier before and after.
 */

import type {
  AllreduceOptions,
  BroadcastOptions,
  DataType,
  ElementArray,
  Group,
  GroupStatistics,
  ReduceOp,
  Request,
} from "mlsl";

/** What the threads share. */
export interface SharedState {
  readonly ranks: number;
  /** Bytes that each rank may allocate. */
  readonly arenaBytes: number;
  readonly buffer: SharedArrayBuffer;
}

/** Bytes of a rank's slot. Small, so that tests go through several pieces. */
const SLOT_BYTES = 64 * 1024;
/** Two barrier words, padded. */
const CONTROL_BYTES = 64;
/** Longer than any test computes between two operations. */
const TIMEOUT_MS = 30_000;

const ARRIVED = 0;
const GENERATION = 1;

/** State for the threads of a new group. */
export function createSharedState(ranks: number, arenaBytes: number): SharedState {
  const buffer = new SharedArrayBuffer(CONTROL_BYTES + ranks * SLOT_BYTES);
  return { ranks, arenaBytes, buffer };
}

/** One rank of the group. */
export class ThreadGroup implements Group {
  readonly name = "world";
  readonly timeoutMs: number = TIMEOUT_MS;
  readonly rank: number;
  readonly ranks: number;
  readonly #control: Int32Array;
  readonly #slots: Uint8Array[];
  readonly #allocated: Map<ElementArray, number> = new Map();
  #arenaBytes: number;
  #operations = 0;
  #bytes = 0;

  constructor(rank: number, shared: SharedState) {
    this.rank = rank;
    this.ranks = shared.ranks;
    this.#arenaBytes = shared.arenaBytes;
    this.#control = new Int32Array(shared.buffer, 0, 2);
    this.#slots = Array.from(
      { length: shared.ranks },
      (_, i) => new Uint8Array(shared.buffer, CONTROL_BYTES + i * SLOT_BYTES, SLOT_BYTES),
    );
  }

  get statistics(): GroupStatistics {
    return { operations: this.#operations, bytes: this.#bytes, exposedMs: 0 };
  }

  allocate<T extends DataType>(type: T, count: number): ElementArray<T> {
    const makers = {
      uint8: Uint8Array,
      int32: Int32Array,
      float32: Float32Array,
      float64: Float64Array,
    };
    const byteLength = count * makers[type].BYTES_PER_ELEMENT;
    if (byteLength > this.#arenaBytes) {
      const message = `Cannot allocate ${byteLength} bytes: ${this.#arenaBytes} are left`;
      throw Object.assign(new Error(message), { code: "MLSL_SEGMENT_FULL" });
    }
    this.#arenaBytes -= byteLength;
    // The types of typed arrays tell shared from ordinary buffers; the groups' own do not.
    const buffer: unknown = new SharedArrayBuffer(byteLength);
    const array = new makers[type](buffer as ArrayBuffer) as ElementArray<T>;
    this.#allocated.set(array, byteLength);
    return array;
  }

  free(array: ElementArray): void {
    const byteLength = this.#allocated.get(array);
    if (byteLength === undefined) throw new TypeError("Cannot free: expected an allocated array");
    this.#allocated.delete(array);
    this.#arenaBytes += byteLength;
  }

  allreduceSync<A extends ElementArray>(send: A, recv: A, options: AllreduceOptions = {}): void {
    const op = options.op ?? "sum";
    this.#agree(`allreduce ${op} ${typeName(send)} ${send.length}`, send);
    const per = SLOT_BYTES / send.BYTES_PER_ELEMENT;
    for (let start = 0; start < send.length; start += per) {
      const end = Math.min(start + per, send.length);
      this.#views(send)[this.rank]?.set(send.subarray(start, end));
      this.#meet();
      const [first, ...others] = this.#views(send);
      const result = recv.subarray(start, end);
      result.set((first as A).subarray(0, end - start));
      for (const other of others) combine(result, other, op);
      if (op === "average") for (const [i, sum] of result.entries()) result[i] = sum / this.ranks;
      this.#meet();
    }
  }

  broadcastSync(buffer: ElementArray, { root = 0 }: BroadcastOptions = {}): void {
    this.#agree(`broadcast ${root} ${typeName(buffer)} ${buffer.length}`, buffer);
    const per = SLOT_BYTES / buffer.BYTES_PER_ELEMENT;
    for (let start = 0; start < buffer.length; start += per) {
      const end = Math.min(start + per, buffer.length);
      const slot = this.#views(buffer)[root] as ElementArray;
      if (this.rank === root) slot.set(buffer.subarray(start, end));
      this.#meet();
      if (this.rank !== root) buffer.set(slot.subarray(0, end - start), start);
      this.#meet();
    }
  }

  allgatherSync<A extends ElementArray>(send: A, recv: A): void {
    const mine = send.slice() as A;
    const own = recv.subarray(this.rank * send.length, (this.rank + 1) * send.length);
    own.set(mine);
    for (let root = 0; root < this.ranks; root++) {
      const part = recv.subarray(root * send.length, (root + 1) * send.length);
      this.broadcastSync(part, { root });
    }
  }

  barrierSync(): void {
    this.#agree("barrier", new Uint8Array(0));
  }

  async allreduce<A extends ElementArray>(send: A, recv: A, o?: AllreduceOptions): Promise<void> {
    this.allreduceSync(send, recv, o);
  }

  async broadcast(buffer: ElementArray, options?: BroadcastOptions): Promise<void> {
    this.broadcastSync(buffer, options);
  }

  async allgather<A extends ElementArray>(send: A, recv: A): Promise<void> {
    this.allgatherSync(send, recv);
  }

  async barrier(): Promise<void> {
    this.barrierSync();
  }

  allreduceStart<A extends ElementArray>(send: A, recv: A, o?: AllreduceOptions): Request {
    this.allreduceSync(send, recv, o);
    return COMPLETED;
  }

  broadcastStart(buffer: ElementArray, options?: BroadcastOptions): Request {
    this.broadcastSync(buffer, options);
    return COMPLETED;
  }

  allgatherStart<A extends ElementArray>(send: A, recv: A): Request {
    this.allgatherSync(send, recv);
    return COMPLETED;
  }

  barrierStart(): Request {
    this.barrierSync();
    return COMPLETED;
  }

  /** All ranks must have come to do the same. */
  #agree(what: string, buffer: ElementArray): void {
    const bytes = new TextEncoder().encode(what.padEnd(64));
    this.#slots[this.rank]?.set(bytes);
    this.#meet();
    const texts = this.#slots.map((slot) => new TextDecoder().decode(slot.slice(0, bytes.length)));
    this.#meet();
    if (new Set(texts).size > 1) {
      throw new Error(`Mismatch: ${texts.map((text) => text.trim()).join(" | ")}`);
    }
    this.#operations++;
    this.#bytes += buffer.byteLength;
  }

  #meet(): void {
    // The generation is read before arriving, so the last one cannot have changed it yet.
    const generation = Atomics.load(this.#control, GENERATION);
    if (Atomics.add(this.#control, ARRIVED, 1) === this.ranks - 1) {
      // Nobody else can arrive at this barrier; the next one starts with the new generation.
      Atomics.store(this.#control, ARRIVED, 0);
      Atomics.add(this.#control, GENERATION, 1);
      Atomics.notify(this.#control, GENERATION);
      return;
    }
    // In a loop, as the notification of the last barrier may come only now. The generation changes
    // once, and not again before this rank has arrived again.
    while (Atomics.load(this.#control, GENERATION) === generation) {
      if (Atomics.wait(this.#control, GENERATION, generation, TIMEOUT_MS) === "timed-out") {
        throw new Error(`Rank ${this.rank} waited for ${TIMEOUT_MS} ms in vain`);
      }
    }
  }

  #views(like: ElementArray): ElementArray[] {
    const View = like.constructor as new (
      buffer: ArrayBufferLike,
      byteOffset: number,
      count: number,
    ) => ElementArray;
    const count = SLOT_BYTES / like.BYTES_PER_ELEMENT;
    return this.#slots.map((slot) => new View(slot.buffer, slot.byteOffset, count));
  }
}

const COMPLETED: Request = {
  done: true,
  test: () => true,
  wait: () => Promise.resolve(),
  waitSync: () => undefined,
};

function combine(result: ElementArray, other: ElementArray, op: ReduceOp): void {
  for (let i = 0; i < result.length; i++) {
    const [a, b] = [result[i] as number, other[i] as number];
    if (op === "min") result[i] = Math.min(a, b);
    else if (op === "max") result[i] = Math.max(a, b);
    else result[i] = a + b;
  }
}

function typeName(array: ElementArray): string {
  return array.constructor.name;
}
