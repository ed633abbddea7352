/**
 * What a launcher tells a rank, and how a rank reads it. The same names serve both forms:
 * a process gets them in its environment, a worker thread in the environment of its worker.
 */

/** Names of the variables between launcher and rank. */
export const RANK_VARIABLES = {
  /** This rank's number, 0 … ranks−1. */
  rank: "MLSL_RANK",
  /** How many ranks the job has. */
  ranks: "MLSL_RANKS",
  /** Processes only: the inherited descriptor of the segment. */
  segmentFd: "MLSL_SEGMENT_FD",
  /** Processes only: size of the segment. */
  segmentBytes: "MLSL_SEGMENT_BYTES",
  /** Processes only: the launcher's process id, so that a rank ends with its launcher. */
  launcherPid: "MLSL_LAUNCHER_PID",
  /** Core that the rank is pinned to; absent when ranks are not pinned. */
  core: "MLSL_CORE",
  /** Progress workers of the rank; absent for none. */
  progressWorkers: "MLSL_PROGRESS_WORKERS",
  /** Threads that the rank's compute engine should use: cores / ranks, at least 1. */
  computeThreads: "MLSL_COMPUTE_THREADS",
} as const;

/** What a launcher hands to a rank that is a worker thread, under `workerData.mlsl`. */
export interface ThreadHandover {
  /** The segment. */
  readonly memory: WebAssembly.Memory;
  /** File URL of the user's script. */
  readonly scriptUrl: string;
}

/** A rank's place in its job, as told by the launcher. */
export interface RankEnvironment {
  readonly rank: number;
  readonly ranks: number;
  /** Absent when the rank is a thread. */
  readonly segment?: { readonly fd: number; readonly byteLength: number };
  readonly launcherPid?: number;
  readonly core?: number;
  readonly computeThreads?: number;
  /** 0 when absent. */
  readonly progressWorkers?: number;
  /** Cores of the rank's progress workers, as far as they have cores of their own. */
  readonly progressCores?: readonly number[];
}

/** Variable with the cores of a rank's progress workers, as numbers with commas between. */
export const PROGRESS_CORES_VARIABLE = "MLSL_PROGRESS_CORES";

function readCores(env: NodeJS.ProcessEnv): readonly number[] | undefined {
  const text = env[PROGRESS_CORES_VARIABLE];
  if (text === undefined || text === "") return undefined;
  const cores = text.split(",").map(Number);
  if (cores.every((core) => Number.isSafeInteger(core) && core >= 0)) return cores;
  throw new RangeError(
    `Cannot read ${PROGRESS_CORES_VARIABLE}: numbers of cores are expected, "${text}" was given`,
  );
}

function readInteger(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = env[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`Cannot read ${name}: a whole number is expected, "${text}" was given`);
  }
  return value;
}

/**
 * Reads the place of this rank; undefined when no launcher started it.
 *
 * @throws {RangeError} If a variable is not a whole number, or the rank is not below the ranks.
 */
export function readRankEnvironment(env: NodeJS.ProcessEnv): RankEnvironment | undefined {
  const rank = readInteger(env, RANK_VARIABLES.rank);
  const ranks = readInteger(env, RANK_VARIABLES.ranks);
  if (rank === undefined && ranks === undefined) return undefined;
  if (rank === undefined || ranks === undefined || rank >= ranks) {
    throw new RangeError(
      `Cannot join a job: ${RANK_VARIABLES.rank} must be below ${RANK_VARIABLES.ranks}, ` +
        `"${env[RANK_VARIABLES.rank] ?? ""}" and "${env[RANK_VARIABLES.ranks] ?? ""}" were given`,
    );
  }
  const fd = readInteger(env, RANK_VARIABLES.segmentFd);
  const byteLength = readInteger(env, RANK_VARIABLES.segmentBytes);
  const optional = {
    launcherPid: readInteger(env, RANK_VARIABLES.launcherPid),
    core: readInteger(env, RANK_VARIABLES.core),
    computeThreads: readInteger(env, RANK_VARIABLES.computeThreads),
    progressWorkers: readInteger(env, RANK_VARIABLES.progressWorkers),
    progressCores: readCores(env),
  };
  return {
    rank,
    ranks,
    ...(fd !== undefined && byteLength !== undefined ? { segment: { fd, byteLength } } : {}),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}
