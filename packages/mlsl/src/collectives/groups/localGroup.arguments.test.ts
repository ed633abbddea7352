/** Wrong calls: what they are told, and that they change nothing. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ElementArray } from "../../memory/dataTypes.js";
import { Random } from "../../simulation/random.js";
import { completeAll, localJob } from "../../testing/localJob.js";
import { defineOperator } from "../operations/operators.js";
import type { ExchangeOptions, ReduceBlockOptions, ReduceOp, ReduceOptions } from "../options.js";
import type { LocalGroup } from "./localGroup.js";

type ErrorClass = typeof TypeError | typeof RangeError;
type Wrong = readonly [call: (group: LocalGroup) => unknown, kind: ErrorClass, message: RegExp];

/** Arrays of the calls below; the group has 3 ranks, and the calls are those of rank 1. */
const f3: Float32Array = Float32Array.of(1, 2, 3);
const f6: Float32Array = new Float32Array(6).fill(4);
const f9: Float32Array = new Float32Array(9).fill(5);
const d3: Float64Array = Float64Array.of(1, 2, 3);
const d9: Float64Array = new Float64Array(9).fill(6);
const i3: Int32Array = Int32Array.of(1, 2, 3);
const u3: Uint32Array = Uint32Array.of(1, 2, 3);
const b3: Int8Array = Int8Array.of(1, 2, 3);
const b9: Int8Array = new Int8Array(9).fill(7);
const q3: BigInt64Array = BigInt64Array.of(1n, 2n, 3n);
const NONE = undefined as unknown as Float32Array;
const LIST = [1, 2, 3] as unknown as Float32Array;
const USER = defineOperator("user", () => {});

/** What TypeScript would not let through. */
function wrong<T>(value: unknown): T {
  return value as T;
}

/** A call with options of reductions that are wrong for some type. */
function reducing(array: ElementArray, options: ReduceOptions) {
  return (group: LocalGroup) => group.allreduceStart(array, array, options);
}

const REDUCE_OPTIONS: readonly Wrong[] = [
  [
    reducing(f3, { op: wrong("mean") }),
    TypeError,
    /op must be one of sum, average, .*, got "mean"$/,
  ],
  [reducing(f3, { op: wrong(null) }), TypeError, /op must be one of .*, got null$/],
  [reducing(f3, { op: wrong({ name: "half" }) }), TypeError, /an operator of defineOperator, got/],
  ...(["and", "or", "xor"] as const satisfies readonly ReduceOp[]).map((op): Wrong => {
    const message = new RegExp(`^Cannot reduce float32 by ${op}: it is for integers only$`);
    return [reducing(f3, { op }), TypeError, message];
  }),
  [reducing(i3, { op: "average" }), TypeError, /Cannot average int32: say how to round/],
  [
    reducing(i3, { op: "average", rounding: wrong("up") }),
    TypeError,
    /^Cannot reduce: rounding must be one of floor, truncate, nearest, got "up"$/,
  ],
  [reducing(f3, { rounding: wrong("up") }), TypeError, /rounding must be one of/],
  [
    reducing(i3, { overflow: wrong("clip") }),
    TypeError,
    /^Cannot reduce: overflow must be wrap or saturate, got "clip"$/,
  ],
  [reducing(f3, { preScale: wrong("2") }), TypeError, /preScale must be a finite number, got 2$/],
  [reducing(f3, { preScale: Number.NaN }), TypeError, /preScale must be a finite number, got NaN/],
  [reducing(f3, { postScale: 1 / 0 }), TypeError, /postScale must be a finite number, got Inf/],
  [
    reducing(f3, { op: "max", preScale: 2 }),
    TypeError,
    /preScale and postScale go with sum and average only, got max$/,
  ],
  [reducing(f3, { op: USER, postScale: 2 }), TypeError, /average only, got an operator of the/],
  [
    reducing(i3, { preScale: 2 }),
    TypeError,
    /^Cannot reduce int32 by sum with preScale 2 and postScale 1: it is for floating-point numbers/,
  ],
  [
    reducing(f3, { algorithm: "telepathy" }),
    RangeError,
    /^Cannot allreduce: algorithm must be .*direct.*, got "telepathy"$/,
  ],
];

const WIDEN: readonly Wrong[] = [
  [
    (g) => g.allreduceStart<ElementArray>(f3, d3),
    TypeError,
    /must have one type, got 3 float32 and/,
  ],
  [
    (g) => g.allreduceStart(d3, f3, { widen: true }),
    TypeError,
    /with widen, recv must have a wider/,
  ],
  [(g) => g.allreduceStart(b3, u3, { widen: true }), TypeError, /got 3 int8 and 3 uint32$/],
  [(g) => g.allreduceStart(u3, i3, { widen: true }), TypeError, /got 3 uint32 and 3 int32$/],
  [
    (g) => g.allreduceStart(i3, q3, { widen: true }),
    TypeError,
    /at most 32 bits for integers, got/,
  ],
  [(g) => g.allreduceStart(b3, f3, { widen: true }), TypeError, /a wider type of the same kind/],
  [(g) => g.reduceStart(b3, undefined, { widen: true }), TypeError, /recv is needed on this rank/],
  [
    (g) =>
      g.allreduceStart(new Int8Array(f3.buffer, 0, 3), new Int32Array(f3.buffer), { widen: true }),
    RangeError,
    /^Cannot allreduce in place: a wider recv needs memory of its own$/,
  ],
  [
    // Rank 1's part of send by its first byte, but longer than that part.
    (g) => {
      const bytes = new Int8Array(f9.buffer);
      const send = bytes.subarray(2, 8);
      return g.reduceScatterStart(send, new Int16Array(f9.buffer, 4, 2), { widen: true });
    },
    RangeError,
    /^Cannot reduceScatter in place: a wider recv needs memory of its own$/,
  ],
];

const REDUCTIONS: readonly Wrong[] = [
  [(g) => g.allreduceStart(NONE, f3), TypeError, /^Cannot allreduce: send is needed on this rank/],
  [(g) => g.allreduceStart(f3, NONE), TypeError, /^Cannot allreduce: recv is needed on this rank/],
  [
    (g) => g.allreduceStart(LIST, f3),
    TypeError,
    /^Cannot communicate \[object Array\]: expected one/,
  ],
  [
    (g) => g.allreduceStart(f3, wrong<Float32Array>(new DataView(f3.buffer))),
    TypeError,
    /\[object DataView\]/,
  ],
  [
    (g) => g.allreduceStart(f3, f6),
    RangeError,
    /^Cannot allreduce: send and recv must have equal counts, got 3 float32 and 6 float32$/,
  ],
  [(g) => g.allreduceStart(f9.subarray(0, 4), f9.subarray(2, 6)), RangeError, /overlap in part/],
  [(g) => g.reduceStart(f3, undefined, { root: 1 }), TypeError, /^Cannot reduce: recv is needed/],
  [(g) => g.reduceStart(f3, f6, { root: 1 }), RangeError, /^Cannot reduce: .*equal counts/],
  [(g) => g.reduceStart(f9.subarray(1, 4), f9.subarray(0, 3), { root: 1 }), RangeError, /in part/],
  [(g) => g.reduceStart(NONE, f3), TypeError, /^Cannot reduce: send is needed on this rank/],
  [
    (g) => g.reduceScatterStart(f9, f6),
    RangeError,
    /^Cannot reduceScatter: send must have 3 times the count of recv, got 9 float32 and 6 float32$/,
  ],
  [(g) => g.reduceScatterStart(f9, NONE), TypeError, /^Cannot reduceScatter: recv is needed/],
  [
    (g) => g.reduceScatterStart(f9, f9.subarray(0, 3)),
    RangeError,
    /^Cannot reduceScatter: recv overlaps with send, but is not rank 1's part of it$/,
  ],
  [
    (g) => g.reduceScattervStart(f9, f3, { counts: [3, 2, 4] }),
    RangeError,
    /^Cannot reduceScatterv: recv must have rank 1's count of 2, got 3 float32$/,
  ],
  [
    (g) => g.reduceScattervStart(f9, f3, { counts: [3, 3, 4] }),
    RangeError,
    /^Cannot reduceScatterv: rank 2's 4 elements from 6 on do not fit send, which has 9 float32$/,
  ],
  [
    (g) => g.reduceScattervStart(f9, f9.subarray(2, 5), { counts: [3, 3, 3] }),
    RangeError,
    /is not rank 1's part/,
  ],
];

const MOVES: readonly Wrong[] = [
  [(g) => g.broadcastStart(NONE), TypeError, /^Cannot broadcast: buffer is needed on this rank/],
  [(g) => g.broadcastStart(LIST), TypeError, /^Cannot communicate \[object Array\]/],
  [
    (g) => g.allgatherStart(f3, f6),
    RangeError,
    /^Cannot allgather: recv must have 3 times the count of send, got 6 float32 and 3 float32$/,
  ],
  [(g) => g.allgatherStart<ElementArray>(f3, d9), TypeError, /^Cannot allgather: .*one type/],
  [(g) => g.allgatherStart(f3, NONE), TypeError, /^Cannot allgather: recv is needed/],
  [
    (g) => g.allgatherStart(f9.subarray(6), f9),
    RangeError,
    /^Cannot allgather: send overlaps with recv, but is not rank 1's part of it$/,
  ],
  [(g) => g.gatherStart(f3, undefined, { root: 1 }), TypeError, /^Cannot gather: recv is needed/],
  [(g) => g.gatherStart(f3, f6, { root: 1 }), RangeError, /^Cannot gather: recv must have 3 times/],
  [
    (g) => g.gatherStart<ElementArray>(f3, d9, { root: 1 }),
    TypeError,
    /^Cannot gather: .*one type/,
  ],
  [(g) => g.gatherStart(f9.subarray(2, 5), f9, { root: 1 }), RangeError, /not rank 1's part of it/],
  [(g) => g.scatterStart(undefined, f3, { root: 1 }), TypeError, /^Cannot scatter: send is needed/],
  [
    (g) => g.scatterStart(f6, f3, { root: 1 }),
    RangeError,
    /^Cannot scatter: send must have 3 times/,
  ],
  [
    (g) => g.scatterStart<ElementArray>(d9, f3, { root: 1 }),
    TypeError,
    /^Cannot scatter: .*one type/,
  ],
  [
    (g) => g.scatterStart(f9, f9.subarray(0, 3), { root: 1 }),
    RangeError,
    /not rank 1's part of it/,
  ],
  [(g) => g.scatterStart(f9, NONE), TypeError, /^Cannot scatter: recv is needed/],
  [
    (g) => g.alltoallStart(f9, f6),
    RangeError,
    /^Cannot alltoall: send and recv must have equal counts, a multiple of 3, got 9 float32 and 6/,
  ],
  [(g) => g.alltoallStart(f9.subarray(1), f9.subarray(1)), RangeError, /a multiple of 3, got 8/],
  [(g) => g.alltoallStart<ElementArray>(d9, f9), TypeError, /^Cannot alltoall: .*one type/],
  [(g) => g.alltoallStart(f9.subarray(0, 6), f9.subarray(3)), RangeError, /overlap in part; give/],
  [(g) => g.barrierStart({ algorithm: "hope" }), RangeError, /algorithm must be .*got "hope"$/],
];

const VARIABLE: readonly Wrong[] = [
  [
    (g) => g.allgathervStart(f6, f9, { counts: [3, 3, 3] }),
    RangeError,
    /^Cannot allgatherv: send must have rank 1's count of 3, got 6 float32$/,
  ],
  [
    (g) => g.allgathervStart(f3, f9, { counts: [3, 3, 3], offsets: [0, 2, 6] }),
    RangeError,
    /^Cannot allgatherv: the blocks of ranks 0 and 1 overlap in recv$/,
  ],
  [
    (g) => g.allgathervStart(f3, f9, { counts: [3, 3, 3], offsets: [0, 7, 4] }),
    RangeError,
    /^Cannot allgatherv: rank 1's 3 elements from 7 on do not fit recv, which has 9 float32$/,
  ],
  [(g) => g.allgathervStart<ElementArray>(f3, d9, { counts: [3, 3, 3] }), TypeError, /one type/],
  [
    (g) => g.gathervStart(f3, undefined, { root: 1, counts: [3, 3, 3] }),
    TypeError,
    /^Cannot gatherv: recv is needed/,
  ],
  [
    (g) => g.gathervStart(f3, f9, { root: 1 }),
    TypeError,
    /^Cannot gatherv: counts must hold a num/,
  ],
  [
    (g) => g.gathervStart(f9.subarray(4, 7), f9, { root: 1, counts: [3, 3, 3] }),
    RangeError,
    /not rank 1's part/,
  ],
  [
    (g) => g.scattervStart(undefined, f3, { root: 1, counts: [3, 3, 3] }),
    TypeError,
    /^Cannot scatterv: send is needed/,
  ],
  [(g) => g.scattervStart(f9, f3, { root: 1 }), TypeError, /^Cannot scatterv: counts must hold a/],
  [
    (g) => g.scattervStart(f9, f3, { root: 1, counts: [3, 4, 2] }),
    RangeError,
    /^Cannot scatterv: recv must have rank 1's count of 4, got 3 float32$/,
  ],
  [
    (g) => g.alltoallvStart(f9, f6, wrong({ recvCounts: [1, 1, 1] })),
    TypeError,
    /^Cannot alltoallv: sendCounts must hold a number for each of the 3 ranks, got undefined$/,
  ],
  [
    (g) => g.alltoallvStart(f9, f6, { sendCounts: [1, 1, 1], recvCounts: [3, 3, 1] }),
    RangeError,
    /^Cannot alltoallv: rank 2's 1 elements from 6 on do not fit recv/,
  ],
  [
    (g) => g.alltoallvStart(f9, f6, { sendCounts: [1, 1, 8], recvCounts: [1, 1, 1] }),
    RangeError,
    /do not fit send/,
  ],
  [
    (g) => g.alltoallvStart(f9, f9, { sendCounts: [1, 1, 1], recvCounts: [1, 1, 1] }),
    RangeError,
    /^Cannot alltoallv in place: send and recv must not overlap$/,
  ],
];

/** Lists of counts that are none, in every operation that takes one. */
const LISTS: readonly Wrong[] = [
  { list: [3, 3], kind: TypeError, message: "hold a number for each of the 3 ranks, got 2" },
  { list: [3, 3, 3, 0], kind: TypeError, message: "for each of the 3 ranks, got 4" },
  { list: 3, kind: TypeError, message: "hold a number for each of the 3 ranks, got 3" },
  {
    list: [3, -3, 3],
    kind: RangeError,
    message: "be whole numbers of elements, got -3 for rank 1",
  },
  { list: [3, 3, 0.5], kind: RangeError, message: "got 0.5 for rank 2" },
  { list: [NaN, 3, 3], kind: RangeError, message: "got NaN for rank 0" },
  { list: ["3", 3, 3], kind: RangeError, message: "got 3 for rank 0" },
  { list: [3n, 3, 3], kind: RangeError, message: "got 3 for rank 0" },
  { list: new Array(3), kind: RangeError, message: "got undefined for rank 0" },
].flatMap(({ list, kind, message }): Wrong[] => {
  const counts = wrong<number[]>(list);
  const good = [3, 3, 3];
  const named = (name: string) => new RegExp(`: ${name} must .*${message}$`);
  return [
    [(g) => g.reduceScattervStart(f9, f3, { counts }), kind, named("counts")],
    [(g) => g.allgathervStart(f3, f9, { counts }), kind, named("counts")],
    [(g) => g.allgathervStart(f3, f9, { counts: good, offsets: counts }), kind, named("offsets")],
    [(g) => g.gathervStart(f3, f9, { root: 1, counts }), kind, named("counts")],
    [(g) => g.scattervStart(f9, f3, { root: 1, counts }), kind, named("counts")],
    [
      (g) => g.alltoallvStart(f9, f6, { sendCounts: counts, recvCounts: good }),
      kind,
      named("sendCounts"),
    ],
    [
      (g) =>
        g.alltoallvStart(f9, f6, { sendCounts: good, recvCounts: [2, 2, 2], recvOffsets: counts }),
      kind,
      named("recvOffsets"),
    ],
  ];
});

/** Roots that are none, in every operation that has one. */
const ROOTS: readonly Wrong[] = [3, -1, 1.5, "1", null, NaN].flatMap((bad): Wrong[] => {
  const root = wrong<number>(bad);
  const counts = [3, 3, 3];
  const calls: [string, Wrong[0]][] = [
    ["reduce", (g) => g.reduceStart(f3, f3, { root })],
    ["broadcast", (g) => g.broadcastStart(f3, { root })],
    ["gather", (g) => g.gatherStart(f3, f9, { root })],
    ["scatter", (g) => g.scatterStart(f9, f3, { root })],
    ["gatherv", (g) => g.gathervStart(f3, f9, { root, counts })],
    ["scatterv", (g) => g.scattervStart(f9, f3, { root, counts })],
  ];
  return calls.map(([kind, call]) => {
    const message = `^Cannot ${kind}: root must be a rank from 0 to 2, got ${bad}$`;
    return [call, RangeError, new RegExp(message)];
  });
});

/** Options that are none, in every operation. */
const OPTIONS: readonly Wrong[] = [null, "sum", 5, { timeoutMs: "5" }].flatMap((bad): Wrong[] => {
  const options = wrong<ReduceBlockOptions & ExchangeOptions>(bad);
  const rule = typeof bad === "object" && bad !== null ? "timeoutMs must be" : "options must be an";
  const calls: [string, Wrong[0]][] = [
    ["allreduce", (g) => g.allreduceStart(f3, f3, options)],
    ["reduce", (g) => g.reduceStart(f3, f3, options)],
    ["reduceScatter", (g) => g.reduceScatterStart(f9, f3, options)],
    ["reduceScatterv", (g) => g.reduceScattervStart(f9, f3, options)],
    ["broadcast", (g) => g.broadcastStart(f3, options)],
    ["gather", (g) => g.gatherStart(f3, f9, options)],
    ["allgather", (g) => g.allgatherStart(f3, f9, options)],
    ["scatter", (g) => g.scatterStart(f9, f3, options)],
    ["alltoall", (g) => g.alltoallStart(f9, f9, options)],
    ["gatherv", (g) => g.gathervStart(f3, f9, options)],
    ["allgatherv", (g) => g.allgathervStart(f3, f9, options)],
    ["scatterv", (g) => g.scattervStart(f9, f3, options)],
    ["alltoallv", (g) => g.alltoallvStart(f9, f6, options)],
    ["barrier", (g) => g.barrierStart(options)],
  ];
  return calls.map(([kind, call]) => {
    return [call, TypeError, new RegExp(`^Cannot ${kind}: ${rule} .*, got .*$`)];
  });
});

/** Counts that cannot be left out. */
const MISSING: readonly Wrong[] = [undefined, {}].flatMap((bad): Wrong[] => {
  const options = wrong<ReduceBlockOptions & ExchangeOptions>(bad);
  const message =
    bad === undefined ? /options must be an object, got undefined$/ : /got undefined$/;
  return [
    [(g) => g.reduceScattervStart(f9, f3, options), TypeError, message],
    [(g) => g.allgathervStart(f3, f9, options), TypeError, message],
    [(g) => g.alltoallvStart(f9, f6, options), TypeError, message],
  ];
});

const TABLES = {
  REDUCE_OPTIONS,
  WIDEN,
  REDUCTIONS,
  MOVES,
  VARIABLE,
  LISTS,
  ROOTS,
  OPTIONS,
  MISSING,
};
const ARRAYS = [f3, f6, f9, d3, d9, i3, u3, b3, b9, q3];

for (const [name, table] of Object.entries(TABLES)) {
  test(`wrong calls are refused with their reason, and nothing happens: ${name}`, () => {
    const world = localJob({ ranks: 3 });
    const before = ARRAYS.map((array) => array.slice());
    for (const [call, kind, message] of table) {
      assert.throws(
        () => call(world[1]!),
        (error: unknown) => {
          assert.ok(error instanceof kind, `${String(error)}, expected ${kind.name}`);
          assert.match(error.message, message);
          assert.match(error.message, /^Cannot [a-z].*[^.]$/i);
          return true;
        },
        String(call),
      );
    }
    assert.deepEqual(ARRAYS, before);
    assert.deepEqual(world[1]!.statistics, { operations: 0, bytes: 0, exposedMs: 0 });
    const sums = world.map(() => Float64Array.of(1));
    completeAll(
      world.map((group, r) => group.allreduceStart(sums[r]!, sums[r]!)),
      new Random(1),
    );
    assert.deepEqual(
      sums,
      [3, 3, 3].map((sum) => Float64Array.of(sum)),
    );
  });
}
