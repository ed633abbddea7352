/**
 * What each rank of `mlsl bench` runs. Its one argument is a JSON object of {@link BenchOptions};
 * rank 0 prints one JSON line per operation and size.
 */

import { init } from "../bootstrap/init.js";
import { openPingPong } from "./coreDistance.js";
import { measure } from "./measure.js";
import { type BenchOp, makeWorkload } from "./workload.js";

/** What to measure. */
export interface BenchOptions {
  readonly ops: readonly BenchOp[];
  /** Sizes in bytes, each a multiple of 4. */
  readonly sizes: readonly number[];
  readonly budgetMs: number;
  /** Buffers in the segment (in place, no copies) or outside. */
  readonly inside: boolean;
}

/** One line of output. */
export interface BenchLine {
  readonly peer: string;
  readonly op: string;
  readonly bytes: number;
  readonly ranks: number;
  readonly iterations: number;
  readonly min_us: number;
  readonly median_us: number;
  readonly p99_us: number;
  readonly algbw_GBps: number;
  readonly c2c_ns: number;
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

const options = JSON.parse(process.argv[2] ?? "{}") as BenchOptions;
const { world, form } = await init();
const peer = `mlsl-${form}${options.inside ? "" : "-outside"}`;
const pingPong = openPingPong(world);
for (const op of options.ops) {
  const sizes = op === "barrier" ? [0] : options.sizes;
  for (const bytes of sizes) {
    // An all-gather needs at least one element from every rank.
    if (op === "allgather" && (bytes / 4) % world.ranks !== 0) continue;
    const workload = makeWorkload(world, op, bytes, options.inside);
    const fenced = op === "broadcast";
    const timing = measure(world, workload, pingPong, { budgetMs: options.budgetMs, fenced });
    workload.free();
    if (world.rank !== 0) continue;
    const line: BenchLine = {
      peer,
      op,
      bytes,
      ranks: world.ranks,
      iterations: timing.iterations,
      min_us: rounded(timing.minUs, 2),
      median_us: rounded(timing.medianUs, 2),
      p99_us: rounded(timing.p99Us, 2),
      algbw_GBps: rounded(bytes / timing.medianUs / 1000, 3),
      c2c_ns: rounded(timing.c2cNs, 0),
    };
    console.log(JSON.stringify(line));
  }
}
