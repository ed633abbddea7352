/** Joining a job: the first thing a rank does. */

import { availableParallelism } from "node:os";
import { isMainThread, workerData } from "node:worker_threads";
import type { Group } from "../collectives/api.js";
import { openWorld } from "../collectives/groups/world.js";
import { withDefaults } from "../collectives/operations/choice.js";
import { ORDER_MODES, type OrderMode } from "../engine/order.js";
import { chooseKernels } from "../kernels/chooseKernels.js";
import { loadNative } from "../memory/native.js";
import {
  joinProcessSegment,
  joinThreadSegment,
  type Segment,
  soloSegment,
} from "../memory/segment.js";
import { workerChunkBytes } from "../progress/chunkBytes.js";
import { RankDriver } from "../progress/rankDriver.js";
import { startWorkerThreads } from "../progress/workerThreads.js";
import type { ChoiceTable } from "../schedules/choice/choiceTable.js";
import {
  type RankEnvironment,
  readRankEnvironment,
  type ThreadHandover,
} from "./rankEnvironment.js";
import { readTuning } from "./tuning.js";

/** How the ranks of this job live. */
export type JobForm = "solo" | "threads" | "processes";

/** A rank's view of its job. */
export interface Environment {
  /** All ranks of the job. */
  readonly world: Group;
  /** How the ranks live. */
  readonly form: JobForm;
  /** Threads that this rank's compute engine should use, at least 1. */
  readonly computeThreads: number;
}

/**
 * Five minutes: longer than evaluation on one rank, a checkpoint or a slow first step usually
 * take, short enough that a job that hangs is noticed.
 */
const DEFAULT_TIMEOUT_MS = 300000;

function readTimeoutMs(text: string | undefined): number {
  if (text === undefined || text === "") return DEFAULT_TIMEOUT_MS;
  const value = Number(text);
  if (!(value > 0)) {
    throw new RangeError(
      `Cannot read MLSL_TIMEOUT_MS: a positive number of milliseconds is expected, "${text}" was given`,
    );
  }
  return value;
}

function handover(): ThreadHandover | undefined {
  const data: unknown = workerData;
  if (typeof data !== "object" || data === null || !("mlsl" in data)) return undefined;
  return data.mlsl as ThreadHandover;
}

function joinSegment(place: RankEnvironment): { segment: Segment; form: JobForm } {
  const thread = handover();
  if (thread !== undefined) {
    return { segment: joinThreadSegment(thread.memory, place), form: "threads" };
  }
  if (place.segment === undefined) {
    throw new Error(
      `Cannot join the job as rank ${place.rank}: the launcher handed over no segment; ` +
        "start the script with mlsl run, or call init() in the rank's own thread",
    );
  }
  // Children and threads of a rank inherit its variables, but they are not the rank.
  if (!isMainThread || process.ppid !== place.launcherPid) {
    throw new Error(
      `Cannot join the job as rank ${place.rank}: this ${isMainThread ? "process" : "thread"} was ` +
        "started by the rank, not by the launcher; call init() in the rank's own thread, " +
        "or start the process without the MLSL_ variables",
    );
  }
  const native = loadNative();
  if (native === undefined) {
    throw new Error(
      `Cannot join the job as rank ${place.rank}: ranks that are processes need koffi; ` +
        "npm install koffi, or start the ranks as threads: mlsl run --threads",
    );
  }
  return { segment: joinProcessSegment(native, place.segment, place), form: "processes" };
}

/** Starts this rank's progress workers, if it is to have any. */
function startWorkers(
  segment: Segment,
  form: JobForm,
  { progressWorkers = 0, progressCores = [] }: RankEnvironment,
  tuning: ChoiceTable | undefined,
): RankDriver | undefined {
  if (progressWorkers === 0) return undefined;
  const driver = new RankDriver(segment, progressWorkers);
  startWorkerThreads(driver, {
    areThreads: form === "threads",
    mode: readMode(process.env.MLSL_PROGRESS_MODE),
    chunkBytes: workerChunkBytes(tuning?.workers),
    kernels: process.env.MLSL_KERNELS,
    cores: progressCores,
  });
  return driver;
}

function readMode(text: string | undefined): OrderMode {
  if (text === undefined || text === "") return "priority";
  const mode = ORDER_MODES.find((one) => one === text);
  if (mode !== undefined) return mode;
  throw new RangeError(
    `Cannot read MLSL_PROGRESS_MODE: one of ${ORDER_MODES.join(", ")} is expected, ` +
      `"${text}" was given`,
  );
}

function join(): Environment {
  const place = readRankEnvironment(process.env);
  const { segment, form } =
    place === undefined ? { segment: soloSegment(), form: "solo" as const } : joinSegment(place);
  const tuning = readTuning(process.env.MLSL_TUNING);
  const driver = place === undefined ? undefined : startWorkers(segment, form, place, tuning);
  // Workers without cores of their own need that of their rank when it waits.
  const shares = driver !== undefined && place?.progressCores === undefined;
  const world = openWorld({
    segment,
    ...(tuning === undefined ? {} : { choices: withDefaults(tuning) }),
    kernels: chooseKernels(segment.memory, process.env.MLSL_KERNELS),
    timeoutMs: readTimeoutMs(process.env.MLSL_TIMEOUT_MS),
    // A pinned rank has its core to itself; it also sees no other, so it cannot count them.
    crowded: shares || (place?.core === undefined && availableParallelism() < segment.ranks),
    driver,
  });
  const computeThreads = place?.computeThreads ?? availableParallelism();
  return { world, form, computeThreads };
}

let joined: Environment | undefined;

/**
 * Joins the job that this process or worker thread is a rank of; alone, a job of one rank, when
 * no launcher started it. Further calls return the same environment.
 *
 * @example
 * ```ts
 * import { init } from "mlsl";
 *
 * const { world } = await init();
 * const sum = new Float32Array([world.rank + 1]);
 * await world.allreduce(sum, sum);
 * console.log(`rank ${world.rank} of ${world.ranks}: ${sum[0]}`);
 * ```
 * @throws {RangeError} If a variable of the environment cannot be understood.
 * @throws {Error} If the segment cannot be joined; says what is missing.
 */
export async function init(): Promise<Environment> {
  joined ??= join();
  return joined;
}
