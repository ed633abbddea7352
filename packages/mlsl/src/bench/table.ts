/** Results of the bench for people. */

import type { BenchLine } from "./rankMain.js";

const WIDTHS = [11, 9, 12, 12, 12, 10, 12] as const;

function row(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i === 0 ? cell.padEnd(WIDTHS[i]!) : cell.padStart(WIDTHS[i]!)))
    .join("");
}

/** A size as people write it: 4 B, 64 KiB, 1 MiB. */
export function sizeText(bytes: number): string {
  if (bytes > 0 && bytes % 1048576 === 0) return `${bytes / 1048576} MiB`;
  if (bytes > 0 && bytes % 1024 === 0) return `${bytes / 1024} KiB`;
  return `${bytes} B`;
}

/** The line above the results. */
export function renderHeader(): string {
  return row(["operation", "size", "min us", "median us", "p99 us", "GB/s", "core-to-core"]);
}

/** One result as a line of the table. */
export function renderLine(line: BenchLine): string {
  return row([
    line.op,
    sizeText(line.bytes),
    line.min_us.toFixed(2),
    line.median_us.toFixed(2),
    line.p99_us.toFixed(2),
    line.bytes === 0 ? "" : line.algbw_GBps.toFixed(2),
    `${line.c2c_ns} ns`,
  ]);
}
