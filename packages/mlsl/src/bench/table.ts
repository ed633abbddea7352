/** Results of the bench for people. */

import type { BenchLine } from "./benchLine.js";

/** A column of the table. */
interface Column {
  readonly head: string;
  readonly width: number;
  readonly cell: (line: BenchLine) => string;
}

/** Columns that are shown where their values differ or were asked for. */
export interface TableOptions {
  readonly types: boolean;
  readonly algorithms: boolean;
}

/** Times wider than this, 17 minutes in us, would run into the column before. */
const TIME_WIDTH = 11;

function time(head: string, value: (line: BenchLine) => number): Column {
  return { head, width: TIME_WIDTH, cell: (line) => value(line).toFixed(2) };
}

function bandwidth(head: string, value: (line: BenchLine) => number): Column {
  const cell = (line: BenchLine): string => (line.bytes === 0 ? "" : value(line).toFixed(2));
  return { head, width: 10, cell };
}

/** A rank alone is at no distance from any. */
function distanceText({ c2c_ns }: BenchLine): string {
  return c2c_ns === 0 ? "" : `${c2c_ns} ns`;
}

function columnsOf({ types, algorithms }: TableOptions): Column[] {
  const columns: (Column | false)[] = [
    { head: "operation", width: 22, cell: operationText },
    types && { head: "type", width: 10, cell: ({ type }) => type },
    algorithms && { head: "algorithm", width: 18, cell: ({ algorithm }) => algorithm },
    { head: "size", width: 11, cell: ({ bytes }) => sizeText(bytes) },
    time("min us", (line) => line.min_us),
    time("p50 us", (line) => line.median_us),
    time("p99 us", (line) => line.p99_us),
    time("skew us", (line) => line.skew_us),
    bandwidth("alg GB/s", (line) => line.algbw_GBps),
    bandwidth("bus GB/s", (line) => line.busbw_GBps),
    { head: "cores", width: 9, cell: distanceText },
  ];
  return columns.filter((column) => column !== false);
}

function row(columns: readonly Column[], cells: readonly string[]): string {
  const first = columns[0]!.width;
  return cells
    .map((cell, i) => (i === 0 ? cell.padEnd(first) : cell.padStart(columns[i]!.width)))
    .join("");
}

/** The operation with its operator: allreduce max. */
export function operationText({ op, reduce }: BenchLine): string {
  return reduce === "" || reduce === "sum" ? op : `${op} ${reduce}`;
}

/** A size as people write it: 4 B, 64 KiB, 1 MiB. */
export function sizeText(bytes: number): string {
  if (bytes > 0 && bytes % 1048576 === 0) return `${bytes / 1048576} MiB`;
  if (bytes > 0 && bytes % 1024 === 0) return `${bytes / 1024} KiB`;
  return `${bytes} B`;
}

/** The two lines above the results of a number of ranks: who was measured, and the heads. */
export function renderHeader(line: BenchLine, options: TableOptions): string {
  const columns = columnsOf(options);
  const heads = columns.map(({ head }) => head);
  const ranks = line.ranks === 1 ? "1 rank" : `${line.ranks} ranks`;
  return `${line.peer}, ${ranks}, ${line.form}\n${row(columns, heads)}`;
}

/** One result as a line of the table. */
export function renderLine(line: BenchLine, options: TableOptions): string {
  const columns = columnsOf(options);
  return row(
    columns,
    columns.map(({ cell }) => cell(line)),
  );
}
