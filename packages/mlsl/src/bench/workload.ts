/** The operations that can be measured: how to fill the buffers, call, and check the result. */

import type { Group } from "../collectives/api.js";

/** Names of the operations. */
export const BENCH_OPS = ["allreduce", "broadcast", "allgather", "barrier"] as const;
/** One of {@link BENCH_OPS}. */
export type BenchOp = (typeof BENCH_OPS)[number];

/** An operation on buffers of one size. */
export interface Workload {
  /** Sets the inputs that {@link Workload.check} expects results of. */
  fill(): void;
  call(): void;
  /** @throws {Error} If a result is wrong. */
  check(): void;
  /** Sets everything to zero, so that repeated sums stay zero. */
  clear(): void;
  free(): void;
}

function checkAll(array: Float32Array, value: (i: number) => number, what: string): void {
  for (let i = 0; i < array.length; i++) {
    if (array[i] !== value(i)) {
      throw new Error(`Wrong result of ${what}: element ${i} is ${array[i]}, not ${value(i)}`);
    }
  }
}

/** Where the buffers of a workload come from. */
export type Buffers = (count: number) => Float32Array;

function allreduce(group: Group, array: Float32Array): Omit<Workload, "free" | "clear"> {
  const sum = (group.ranks * (group.ranks + 1)) / 2;
  return {
    fill: () => array.fill(group.rank + 1),
    call: () => group.allreduceSync(array, array),
    check: () => checkAll(array, () => sum, `allreduce of ${array.byteLength} bytes`),
  };
}

function broadcast(group: Group, array: Float32Array): Omit<Workload, "free" | "clear"> {
  return {
    fill: () => array.fill(group.rank + 1),
    call: () => group.broadcastSync(array),
    check: () => checkAll(array, () => 1, `broadcast of ${array.byteLength} bytes`),
  };
}

function allgather(
  group: Group,
  send: Float32Array,
  recv: Float32Array,
): Omit<Workload, "free" | "clear"> {
  const what = `allgather of ${recv.byteLength} bytes`;
  return {
    fill: () => send.fill(group.rank + 1),
    call: () => group.allgatherSync(send, recv),
    check: () => checkAll(recv, (i) => Math.floor(i / send.length) + 1, what),
  };
}

/**
 * Prepares an operation. What `bytes` means is as in most benchmarks of collectives: the vector
 * (all-reduce, broadcast), the gathered vector (all-gather), nothing (barrier).
 */
export function makeWorkload(group: Group, op: BenchOp, bytes: number, inside: boolean): Workload {
  const arrays: Float32Array[] = [];
  const make: Buffers = (count) => {
    const array = inside ? group.allocate("float32", count) : new Float32Array(count);
    arrays.push(array);
    return array;
  };
  const finish = (part: Omit<Workload, "free" | "clear">): Workload => ({
    ...part,
    clear: () => arrays.forEach((array) => void array.fill(0)),
    free: () => {
      if (inside) for (const array of arrays) group.free(array);
    },
  });
  switch (op) {
    case "allreduce":
      return finish(allreduce(group, make(bytes / 4)));
    case "broadcast":
      return finish(broadcast(group, make(bytes / 4)));
    case "allgather":
      return finish(allgather(group, make(bytes / 4 / group.ranks), make(bytes / 4)));
    case "barrier":
      return finish({ fill: () => {}, call: () => group.barrierSync(), check: () => {} });
  }
}
