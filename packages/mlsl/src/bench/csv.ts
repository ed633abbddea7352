/** Results as comma-separated values (RFC 4180). */

import type { BenchLine } from "./benchLine.js";

/** Columns, in order; the names are those of the lines of JSON. */
const COLUMNS = [
  "peer",
  "op",
  "type",
  "reduce",
  "algorithm",
  "form",
  "in_place",
  "bytes",
  "ranks",
  "iterations",
  "min_us",
  "median_us",
  "p99_us",
  "algbw_GBps",
  "busbw_GBps",
  "skew_us",
  "rank_us",
  "c2c_ns",
] as const satisfies readonly (keyof BenchLine)[];

/** The names of the columns. */
export function csvHeader(): string {
  return COLUMNS.join(",");
}

/** A result as one line; no value needs quotes. The ranks' times are separated by blanks. */
export function csvRow(line: BenchLine): string {
  return COLUMNS.map((name) => {
    const value = line[name];
    return Array.isArray(value) ? value.join(" ") : String(value);
  }).join(",");
}
