/** Starts the progress workers of a rank as threads beside it. */

import { Worker } from "node:worker_threads";
import type { OrderMode } from "../engine/order.js";
import type { RankDriver } from "./rankDriver.js";

/** What a worker is told when it is started. */
export interface WorkerHandover {
  readonly memory: WebAssembly.Memory;
  /** Whether ranks are threads of one process, which can do without the kernel's futexes. */
  readonly areThreads: boolean;
  readonly rank: number;
  readonly ranks: number;
  readonly worker: number;
  readonly block: number;
  readonly mode: OrderMode;
  /** Bytes of a chunk. */
  readonly chunkBytes: number;
  /** Name of the kernels. */
  readonly kernels: string | undefined;
  /** Core that it gets to itself; undefined if it shares those of its rank. */
  readonly core: number | undefined;
}

/** How the workers of a rank work. */
export interface WorkersOptions {
  readonly areThreads: boolean;
  readonly mode: OrderMode;
  /** Bytes of a chunk, the same on all ranks. */
  readonly chunkBytes: number;
  readonly kernels: string | undefined;
  /** A core for each worker, as far as there are any. */
  readonly cores: readonly number[];
}

const MAIN = new URL("./workerMain.js", import.meta.url);

/** Starts one thread per worker of a driver. They end with the rank, and never keep it from ending. */
export function startWorkerThreads(driver: RankDriver, options: WorkersOptions): void {
  const { memory, rank, ranks } = driver.segment;
  const { areThreads, mode, chunkBytes, kernels, cores } = options;
  driver.blocks.forEach((block, worker) => {
    const core = cores[worker];
    const handover: WorkerHandover = {
      memory,
      areThreads,
      rank,
      ranks,
      worker,
      block,
      mode,
      chunkBytes,
      kernels,
      core,
    };
    const thread = new Worker(MAIN, {
      workerData: { progress: handover },
      name: `mlsl progress ${rank}.${worker}`,
      // Options of the rank, such as loaders and what it loads first, are not the worker's.
      execArgv: [],
    });
    thread.on("error", (error: unknown) => driver.workerFailed(worker, String(error)));
    thread.unref();
  });
  process.once("exit", () => driver.end());
}
