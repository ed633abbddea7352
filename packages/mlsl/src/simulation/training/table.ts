/** Results of simulated training for people. */

import type { TrainingLine } from "./experiment.js";

/** A column of the table. */
interface Column {
  readonly head: string;
  readonly width: number;
  readonly cell: (line: TrainingLine) => string;
}

function number(head: string, digits: number, value: (line: TrainingLine) => number): Column {
  return { head, width: head.length + 3, cell: (line) => value(line).toFixed(digits) };
}

const COLUMNS: readonly Column[] = [
  { head: "net", width: 11, cell: ({ net }) => net },
  { head: "nodes", width: 7, cell: ({ nodes }) => `${nodes}` },
  { head: "batch", width: 7, cell: ({ batch }) => `${batch}` },
  { head: "order", width: 10, cell: ({ mode }) => mode },
  number("compute ms", 1, (line) => line.compute_ms),
  number("comm. ms", 1, (line) => line.communication_ms),
  number("step ms", 1, (line) => line.step_ms),
  number("/ bound", 3, (line) => line.step_to_bound),
  number("exposed ms", 2, (line) => line.exposed_ms),
  number("first ms", 3, (line) => line.exposed_first_ms),
  {
    head: "fifo / this",
    width: 14,
    cell: ({ first_less_than_fifo: less }) => (less === null ? "" : less.toFixed(1)),
  },
];

function row(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (i === 0 ? cell.padEnd(COLUMNS[i]!.width) : cell.padStart(COLUMNS[i]!.width)))
    .join("");
}

/** The heads of the columns. */
export function trainingHeader(): string {
  return row(COLUMNS.map(({ head }) => head));
}

/** One result as a line of the table. */
export function trainingRow(line: TrainingLine): string {
  return row(COLUMNS.map(({ cell }) => cell(line)));
}
