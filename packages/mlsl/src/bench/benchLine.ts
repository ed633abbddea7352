/** The figures of one point as they are printed. */

import type { Timing } from "./measure.js";
import { factsOf } from "./ops.js";
import type { BenchPoint } from "./points.js";

/** One line of output. Names carry the units. */
export interface BenchLine {
  /** Who was measured: "mlsl-" and the form of the ranks, "-outside" for staged buffers. */
  readonly peer: string;
  readonly op: string;
  readonly type: string;
  /** Operator of a reduction, else empty. */
  readonly reduce: string;
  /** As it was asked for; "default" where the library chose. */
  readonly algorithm: string;
  /** "sync" or "persistent". */
  readonly form: string;
  readonly in_place: boolean;
  readonly bytes: number;
  readonly ranks: number;
  readonly iterations: number;
  readonly min_us: number;
  readonly median_us: number;
  readonly p99_us: number;
  /** Bytes over the median. */
  readonly algbw_GBps: number;
  /** That times the operation's factor, see ops.ts. */
  readonly busbw_GBps: number;
  /** See statistics.ts. */
  readonly skew_us: number;
  readonly rank_us: readonly number[];
  /** Distance of the cores of ranks 0 and 1, see coreDistance.ts. */
  readonly c2c_ns: number;
}

/** What holds for all lines of a run. */
export type LineFrame = Pick<BenchLine, "peer" | "form" | "ranks" | "in_place">;

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** The line of a point. */
export function benchLine(point: BenchPoint, timing: Timing, frame: LineFrame): BenchLine {
  const { op, type, operator = "", algorithm = "default", bytes } = point;
  const algbw = bytes / timing.medianUs / 1000;
  return {
    ...{ peer: frame.peer, op, type: op === "barrier" ? "" : type, reduce: operator, algorithm },
    ...{ form: frame.form, in_place: frame.in_place, bytes, ranks: frame.ranks },
    iterations: timing.iterations,
    min_us: rounded(timing.minUs, 2),
    median_us: rounded(timing.medianUs, 2),
    p99_us: rounded(timing.p99Us, 2),
    algbw_GBps: rounded(algbw, 3),
    busbw_GBps: rounded(algbw * factsOf(op).busFactor(frame.ranks), 3),
    skew_us: rounded(timing.skewUs, 2),
    rank_us: timing.rankUs.map((us) => rounded(us, 2)),
    c2c_ns: rounded(timing.c2cNs, 0),
  };
}
