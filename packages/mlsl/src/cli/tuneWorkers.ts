/** Measures what chunks cost the progress workers of this machine, for `mlsl bench --tune`. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchLine } from "../bench/benchLine.js";
import type { BenchTask } from "../bench/points.js";
import { type ChunkedTime, workerFigures } from "../bench/workerFigures.js";
import { launch } from "../launcher/launch.js";
import { workerChunkBytes } from "../progress/chunkBytes.js";
import type { ChoiceTable, WorkerFigures } from "../schedules/choice/choiceTable.js";

/** Thousands of small chunks, and more than caches hold, as the gradients of a step mostly are. */
const BYTES = 33554432;

/** Of both buffers, and as much room beside them. */
const ARENA_BYTES = 4 * BYTES;

/** Figures that lead to the smallest and to the largest chunks that there are. */
const EXTREMES = [
  { overheadMs: 1e-9, bandwidthGBps: 1 },
  { overheadMs: 1, bandwidthGBps: 1 },
] as const;

/** How the measurement is run. */
export interface TuneWorkersOptions {
  /** The program that measures. */
  readonly script: string;
  readonly progressWorkers: number | "auto";
  readonly budgetMs: number;
}

/** Runs a broadcast of 2 ranks with chunks of a size. */
async function timeOf(
  workers: WorkerFigures,
  folder: string,
  { script, progressWorkers, budgetMs }: TuneWorkersOptions,
): Promise<ChunkedTime> {
  const path = join(folder, "tuning.json");
  const table: ChoiceTable = { version: 1, entries: [], workers };
  writeFileSync(path, JSON.stringify(table));
  const task: BenchTask = {
    ...{ ops: ["broadcast"], types: ["float32"], operators: ["sum"], sizes: [BYTES] },
    ...{ budgetMs, inside: true, persistent: true },
  };
  const lines: BenchLine[] = [];
  const { exitCode } = await launch({
    ...{ script, args: [JSON.stringify(task)], ranks: 2, arenaBytes: ARENA_BYTES, progressWorkers },
    env: { MLSL_TUNING: path },
    onLine: ({ stream, text }) => {
      if (stream === "stderr") console.error(text);
      else lines.push(JSON.parse(text) as BenchLine);
    },
  });
  const line = lines[0];
  if (exitCode !== 0 || line === undefined) {
    throw new Error(`Cannot measure progress workers: the job ended with exit code ${exitCode}`);
  }
  const tookMs = line.median_us / 1000;
  return { byteLength: BYTES, chunkBytes: workerChunkBytes(workers), tookMs };
}

/**
 * What a chunk costs, and how fast its bytes move.
 *
 * @throws {Error} If a job of 2 ranks cannot be run.
 */
export async function tuneWorkers(options: TuneWorkersOptions): Promise<WorkerFigures> {
  const folder = mkdtempSync(join(tmpdir(), "mlsl-tune-"));
  try {
    const small = await timeOf(EXTREMES[0], folder, options);
    return workerFigures(small, await timeOf(EXTREMES[1], folder, options));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
