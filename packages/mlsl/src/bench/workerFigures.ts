/** From two times of one operation to what a chunk costs progress workers. */

import type { WorkerFigures } from "../schedules/choice/choiceTable.js";

/** An operation in which one rank copies all bytes, and how long it took. */
export interface ChunkedTime {
  readonly byteLength: number;
  readonly chunkBytes: number;
  readonly tookMs: number;
}

/** Chunks cost something, however little the clock says: the least that is believed. */
const LEAST_OVERHEAD_MS = 1e-5;

/**
 * The line through two times: overhead for each chunk, and bandwidth for each byte.
 *
 * @param small of many chunks
 * @param large of few chunks; of as many bytes
 */
export function workerFigures(small: ChunkedTime, large: ChunkedTime): WorkerFigures {
  const [many, few] = [small, large].map((one) => Math.ceil(one.byteLength / one.chunkBytes));
  const slope = (small.tookMs - large.tookMs) / (many! - few!);
  const overheadMs = Math.max(LEAST_OVERHEAD_MS, slope);
  // Noise may leave nothing for the bytes: then half of the time is theirs.
  const bytesMs = Math.max(large.tookMs - few! * overheadMs, large.tookMs / 2);
  const bandwidthGBps = large.byteLength / bytesMs / 1e6;
  return { overheadMs: round(overheadMs), bandwidthGBps: round(bandwidthGBps) };
}

/** Three digits: more are noise. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}
