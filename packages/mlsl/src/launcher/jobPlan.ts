/** Turns what a user asks for into numbers, after all checks and before anything is started. */

import { PROGRESS_CORES_VARIABLE } from "../bootstrap/rankEnvironment.js";
import { loadNative, type Native } from "../memory/native.js";
import { workerBlocksBytes } from "../progress/workerBlock.js";
import { type AvailableMemory, readAvailableMemory, smallestOf } from "./availableMemory.js";
import {
  chooseCores,
  chooseWorkerCores,
  computeThreadsFor,
  readAllowedCores,
  readCpuQuota,
  workersFor,
} from "./cores.js";
import {
  checkedSegmentBytes,
  checkRanks,
  checkScript,
  checkWorkers,
  DEFAULT_ARENA_BYTES,
  type LaunchOptions,
  LaunchRefusedError,
  type RankForm,
} from "./launchOptions.js";
import { SEGMENT_FD } from "./processRanks.js";
import type { RankSetup } from "./rankHandle.js";
import { rankVariables } from "./rankVariables.js";

/** A job that may be started. */
export interface JobPlan {
  readonly options: LaunchOptions;
  readonly form: RankForm;
  /** Present when ranks are processes. */
  readonly native: Native | undefined;
  readonly scriptPath: string;
  readonly segmentBytes: number;
  /** Core of each rank. */
  readonly cores: readonly (number | undefined)[];
  /** Progress workers of each rank. */
  readonly workers: number;
  /** Cores of all ranks' workers, one rank after the other; fewer if they share the ranks'. */
  readonly workerCores: readonly number[];
  readonly computeThreads: number;
  /** What the user should know. */
  readonly notes: readonly string[];
}

const THREADS_NOTE =
  "ranks are threads of one process, as processes need Linux and koffi: a crash or kill ends " +
  "all ranks, and native add-ons that refuse a second thread fail; " +
  "`npm install koffi` brings processes";

/**
 * Checks and plans a job.
 *
 * @throws {LaunchRefusedError} If it cannot be run.
 */
export function makePlan(options: LaunchOptions): JobPlan {
  const { ranks, nodeArgs = [], arenaBytes = DEFAULT_ARENA_BYTES } = options;
  checkRanks(ranks);
  const scriptPath = checkScript(options.script, nodeArgs);
  const allowed = readAllowedCores();
  const workers = workersFor(options.progressWorkers ?? 0, allowed.length, ranks);
  checkWorkers(workers);
  // What the workers need comes on top of what the user gives each rank.
  const segmentBytes = checkedSegmentBytes(ranks, arenaBytes + workerBlocksBytes(ranks, workers));
  const native = options.form === "threads" ? undefined : loadNative();
  if (native === undefined && options.form === "processes") {
    throw new LaunchRefusedError(
      "Cannot start ranks as processes: this needs Linux and the package koffi; " +
        "install it, or use threads",
    );
  }
  checkMemory(segmentBytes, ranks, readAvailableMemory());
  const pinned = canPin(options) ? allowed : [];
  const workerCores = options.progressCores ?? chooseWorkerCores(pinned, ranks, workers);
  return {
    options,
    form: native === undefined ? "threads" : "processes",
    native,
    scriptPath,
    segmentBytes,
    cores: chooseCores(pinned, ranks),
    workers,
    workerCores,
    // Cores that workers have to themselves are not for computing.
    computeThreads: computeThreadsFor(
      Math.max(ranks, allowed.length - workerCores.length),
      readCpuQuota(),
      ranks,
    ),
    notes: native === undefined && options.form === undefined ? [THREADS_NOTE] : [],
  };
}

/** Everything that one rank needs to start. */
export function setupOf(plan: JobPlan, rank: number): RankSetup {
  const { options, cores, computeThreads, workers, workerCores } = plan;
  const core = cores[rank];
  const ownCores = workerCores.slice(rank * workers, (rank + 1) * workers);
  const env = rankVariables(
    { ...process.env, ...options.env },
    {
      rank,
      ranks: options.ranks,
      computeThreads,
      ...(core === undefined ? {} : { core }),
      ...(workers === 0 ? {} : { progressWorkers: workers }),
      ...(plan.form === "threads"
        ? {}
        : {
            segmentFd: SEGMENT_FD,
            segmentBytes: plan.segmentBytes,
            launcherPid: process.pid,
          }),
    },
  );
  delete env[PROGRESS_CORES_VARIABLE];
  if (ownCores.length > 0) env[PROGRESS_CORES_VARIABLE] = ownCores.join(",");
  const { args = [], nodeArgs = [] } = options;
  const input = rank === 0 ? options.input : undefined;
  return { rank, scriptPath: plan.scriptPath, args, nodeArgs, env, input };
}

/**
 * Checks that a segment fits into memory.
 *
 * @throws {LaunchRefusedError} If it does not.
 */
export function checkMemory(segmentBytes: number, ranks: number, memory: AvailableMemory): void {
  if (segmentBytes <= smallestOf(memory)) return;
  const mib = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`;
  const known = [
    ...(memory.machine === undefined ? [] : [`${mib(memory.machine)} on this machine`]),
    ...(memory.cgroup === undefined ? [] : [`${mib(memory.cgroup)} in this control group`]),
  ];
  throw new LaunchRefusedError(
    `Cannot reserve ${mib(segmentBytes)} of shared memory for ${ranks} ranks: ` +
      `${known.join(", ")} can be had; choose fewer ranks or a smaller --segment-mib`,
  );
}

/** Affinity is set through /proc and taskset, which only Linux has. */
function canPin(options: LaunchOptions): boolean {
  return (options.pin ?? true) && process.platform === "linux";
}
