/** What a job is asked to be, and the checks before anything is started. */

import { statSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { Readable } from "node:stream";
import { MAX_LOCAL_RANKS, segmentBytesFor } from "../memory/layout.js";
import { MAX_WORKERS } from "../progress/workerBlock.js";
import type { RankLine } from "./jobOutput.js";

/** Whether ranks are processes of their own or threads of the launcher. */
export type RankForm = "processes" | "threads";

/** A job that shall run on this machine. */
export interface LaunchOptions {
  /** Path of the script that every rank runs. */
  readonly script: string;
  /** Arguments of the script. @default [] */
  readonly args?: readonly string[];
  /** How many ranks, 1 to 64. */
  readonly ranks: number;
  /**
   * Form of the ranks. Asking for processes where they cannot be had is an error.
   *
   * @default "processes" where koffi can be loaded on Linux, else "threads"
   */
  readonly form?: RankForm;
  /**
   * Shared memory of each rank, in bytes.
   *
   * @default 67108864
   */
  readonly arenaBytes?: number;
  /**
   * Progress workers of each rank: threads that carry its collectives out while it computes, 0 to 16.
   * "auto": 1 if there are at least 2 cores per rank, else 0. Who only makes blocking calls is faster
   * without.
   *
   * @default 0
   */
  readonly progressWorkers?: number | "auto";
  /**
   * Cores of the progress workers, of all ranks one after the other; those that come too late in the
   * list share the cores of their rank.
   *
   * @default the allowed cores after those of the ranks, as far as there are enough for all workers
   */
  readonly progressCores?: readonly number[];
  /** Variables for the ranks, over those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether ranks are pinned to cores where there are enough. @default true */
  readonly pin?: boolean;
  /** Options for Node itself, before the script. @default [] */
  readonly nodeArgs?: readonly string[];
  /** Whether lines on the terminal start with `[rank] `. @default true */
  readonly prefix?: boolean;
  /**
   * What rank 0 reads from its standard input; the other ranks have none.
   *
   * @default that of this process for ranks that are processes, none for threads
   */
  readonly input?: Readable;
  /** Takes the lines that ranks print; then nothing is written to the terminal. */
  readonly onLine?: (line: RankLine) => void;
  /**
   * Takes the launcher's own messages.
   *
   * @default written to stderr as `mlsl: …`; dropped if there is an `onLine`
   */
  readonly onMessage?: (text: string) => void;
  /** Ends the job like a SIGTERM to the launcher would: the exit code is then 143. */
  readonly signal?: AbortSignal;
  /** Told each rank that was started, with its process id (a thread's is that of this process). */
  readonly onSpawn?: (rank: number, pid: number) => void;
}

/** A job was refused before any of its ranks was started; the message says what would be right. */
export class LaunchRefusedError extends Error {
  /** The job was refused. */
  readonly code = "MLSL_LAUNCH_REFUSED";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "LaunchRefusedError";
  }
}

/**
 * Default of a rank's arena. It holds 16 Mi float32 values in flight at a time, larger buffers
 * pass through it by chunk; and all of it is reserved at start, which takes 10 to 200 ms.
 */
export const DEFAULT_ARENA_BYTES: number = 64 * 1024 * 1024;

/**
 * Smallest arena. A page holds a buffer of 16 Ki float32 values, below which not even one small
 * layer can be exchanged.
 */
const MIN_ARENA_BYTES = 65536;

/**
 * The absolute path of a script that can be run.
 *
 * @throws {LaunchRefusedError} If it is missing, no file, or in a language that Node cannot run.
 */
export function checkScript(script: string, nodeArgs: readonly string[]): string {
  const path = resolve(script);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new LaunchRefusedError(`Cannot run "${script}": no such file`);
  if (!stat.isFile()) throw new LaunchRefusedError(`Cannot run "${script}": it is not a file`);
  if (/^\.[mc]?ts$/.test(extname(path)) && !canRunTypeScript(nodeArgs)) {
    throw new LaunchRefusedError(
      `Cannot run "${script}": Node ${process.version} does not run TypeScript; ` +
        "use Node 22.18 or newer, or compile it first",
    );
  }
  return path;
}

function canRunTypeScript(nodeArgs: readonly string[]): boolean {
  // Whoever passes options to Node may bring a loader of their own: let Node decide.
  if (nodeArgs.length > 0 || (process.env.NODE_OPTIONS ?? "") !== "") return true;
  // Node 20, for which the types are, does not know this feature yet.
  return Boolean(Reflect.get(process.features, "typescript"));
}

/**
 * Checks the number of ranks.
 *
 * @throws {LaunchRefusedError} If it is no whole number from 1 to 64.
 */
export function checkRanks(ranks: number): void {
  if (!Number.isInteger(ranks) || ranks < 1 || ranks > MAX_LOCAL_RANKS) {
    throw new LaunchRefusedError(
      `Cannot start ${ranks} ranks: expected a whole number from 1 to ${MAX_LOCAL_RANKS}`,
    );
  }
}

/**
 * Checks the number of progress workers.
 *
 * @throws {LaunchRefusedError} If it is no whole number from 0 to 16.
 */
export function checkWorkers(workers: number): void {
  if (!Number.isInteger(workers) || workers < 0 || workers > MAX_WORKERS) {
    throw new LaunchRefusedError(
      `Cannot start ${workers} progress workers per rank: ` +
        `expected a whole number from 0 to ${MAX_WORKERS}, or "auto"`,
    );
  }
}

/**
 * The size of the segment that holds everybody's arena.
 *
 * @throws {LaunchRefusedError} If an arena is too small, or all of them too large together.
 */
export function checkedSegmentBytes(ranks: number, arenaBytes: number): number {
  if (!Number.isSafeInteger(arenaBytes) || arenaBytes < MIN_ARENA_BYTES) {
    throw new LaunchRefusedError(
      `Cannot give each rank ${arenaBytes} bytes of shared memory: ` +
        `expected a whole number of at least ${MIN_ARENA_BYTES}`,
    );
  }
  try {
    return segmentBytesFor(ranks, arenaBytes);
  } catch (error) {
    if (error instanceof RangeError) throw new LaunchRefusedError(error.message, { cause: error });
    throw error;
  }
}
