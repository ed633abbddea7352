/** Which cores the ranks of a job get, and how many threads each should compute with. */

import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { readCgroupValue } from "./cgroup.js";

/** Longest list that is believed: the kernel is built for at most 8192 cores. */
const MAX_CORES = 8192;

/**
 * The numbers of a list as the kernel writes it: `0-3,8,10-11`.
 *
 * @throws {RangeError} If it is not such a list.
 */
export function parseCpuList(text: string): number[] {
  const cores: number[] = [];
  for (const part of text.trim().split(",")) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    const first = Number(match?.[1]);
    const last = Number(match?.[2] ?? match?.[1]);
    if (match === null || last < first || last >= MAX_CORES) {
      throw new RangeError(
        `Cannot read the list of cores "${text}": ` +
          `expected numbers and ranges below ${MAX_CORES} such as "0-3,8"`,
      );
    }
    for (let core = first; core <= last; core++) cores.push(core);
  }
  return cores;
}

/** The cores on which this process may run, ascending. */
export function readAllowedCores(): number[] {
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1];
    if (list !== undefined) return parseCpuList(list);
  } catch {
    // No /proc: not Linux, or hidden. The count is known all the same.
  }
  return Array.from({ length: availableParallelism() }, (_, core) => core);
}

/**
 * How many cores' worth of time a control group allows, from its `cpu.max` ("quota period" in
 * microseconds, or "max period"); undefined when it sets no limit.
 */
export function parseCpuMax(text: string): number | undefined {
  const [quota, period] = text.trim().split(/\s+/).map(Number);
  if (quota === undefined || period === undefined || !(quota > 0) || !(period > 0)) {
    return undefined;
  }
  return quota / period;
}

/** The limit of this process's control group in cores; undefined when there is none. */
export function readCpuQuota(): number | undefined {
  const text = readCgroupValue("cpu", "cpu.max");
  return text === undefined ? undefined : parseCpuMax(text);
}

/**
 * The core of each rank: rank r gets the r-th allowed core. When there are fewer cores than ranks
 * nobody is pinned, as two ranks on one core would wait for each other while another core idles.
 */
export function chooseCores(allowed: readonly number[], ranks: number): (number | undefined)[] {
  const enough = ranks <= allowed.length;
  return Array.from({ length: ranks }, (_, rank) => (enough ? allowed[rank] : undefined));
}

/** Progress workers of each rank: of their own accord only where they take no core from a rank. */
export function workersFor(asked: number | "auto", cores: number, ranks: number): number {
  if (asked !== "auto") return asked;
  return cores >= 2 * ranks ? 1 : 0;
}

/**
 * The cores of progress workers, of all ranks one after the other: the allowed ones after those of
 * the ranks. When there are too few for all workers none has one, and they share those of their ranks.
 */
export function chooseWorkerCores(
  allowed: readonly number[],
  ranks: number,
  workers: number,
): readonly number[] {
  const spare = allowed.slice(ranks, ranks + ranks * workers);
  return spare.length === ranks * workers ? spare : [];
}

/** Threads that each rank should compute with: an equal share of the cores, at least 1. */
export function computeThreadsFor(
  allowedCores: number,
  quotaCores: number | undefined,
  ranks: number,
): number {
  const usable = Math.min(allowedCores, quotaCores ?? Number.POSITIVE_INFINITY);
  return Math.max(1, Math.floor(usable / ranks));
}
