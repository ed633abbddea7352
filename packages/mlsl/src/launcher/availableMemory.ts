/**
 * How much memory a job may still take. Asked before a segment is reserved, because the kernel
 * answers a reservation that is far too large by killing the process that made it.
 */

import { readFileSync } from "node:fs";
import { readCgroupValue } from "./cgroup.js";

/** What is known of free memory, in bytes; undefined where the system does not tell. */
export interface AvailableMemory {
  /** The machine's estimate of what can be taken without swapping. */
  readonly machine: number | undefined;
  /** What the control group's limit leaves. */
  readonly cgroup: number | undefined;
}

/** MemAvailable in bytes from the text of /proc/meminfo. */
export function parseMemAvailable(meminfo: string): number | undefined {
  const match = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo);
  return match === null ? undefined : Number(match[1]) * 1024;
}

/**
 * Bytes that a control group leaves: its limit less what is in use; file pages that were not used
 * lately count as free, as the kernel drops them first.
 *
 * @param limit content of memory.max or memory.limit_in_bytes
 * @param usage content of memory.current or memory.usage_in_bytes
 * @param stat content of memory.stat
 */
export function cgroupHeadroom(limit: string, usage: string, stat: string): number | undefined {
  const limitBytes = Number(limit);
  const usedBytes = Number(usage);
  if (!Number.isFinite(limitBytes) || !Number.isFinite(usedBytes)) return undefined;
  const inactive = /^(?:total_)?inactive_file (\d+)$/m.exec(stat)?.[1] ?? "0";
  return Math.max(0, limitBytes - Math.max(0, usedBytes - Number(inactive)));
}

/** Looks up what is free now. */
export function readAvailableMemory(): AvailableMemory {
  return { machine: readMachine(), cgroup: readCgroup() };
}

/** The smaller of what machine and control group leave; unknown counts as no limit. */
export function smallestOf(memory: AvailableMemory): number {
  const unlimited = Number.POSITIVE_INFINITY;
  return Math.min(memory.machine ?? unlimited, memory.cgroup ?? unlimited);
}

function readMachine(): number | undefined {
  try {
    return parseMemAvailable(readFileSync("/proc/meminfo", "utf8"));
  } catch {
    return undefined; // Not Linux.
  }
}

function readCgroup(): number | undefined {
  const limit =
    readCgroupValue("memory", "memory.max") ?? readCgroupValue("memory", "memory.limit_in_bytes");
  const usage =
    readCgroupValue("memory", "memory.current") ??
    readCgroupValue("memory", "memory.usage_in_bytes");
  if (limit === undefined || usage === undefined) return undefined;
  return cgroupHeadroom(limit, usage, readCgroupValue("memory", "memory.stat") ?? "");
}
