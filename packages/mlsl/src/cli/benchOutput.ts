/** What `mlsl bench` makes of the lines of its ranks: text on the terminal, and files. */

import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { BenchLine } from "../bench/benchLine.js";
import { csvHeader, csvRow } from "../bench/csv.js";
import { type Charts, drawBench } from "../bench/plot.js";
import { renderHeader, renderLine, type TableOptions } from "../bench/table.js";
import { tunedTable } from "../bench/tuning.js";
import { LaunchRefusedError } from "../launcher/launchOptions.js";
import type { WorkerFigures } from "../schedules/choice/choiceTable.js";

/** What is written where. */
export interface OutputOptions extends TableOptions {
  readonly json: boolean;
  /** A path, or "-" for the terminal instead of the table. */
  readonly csv: string | undefined;
  /** The picture's path and what draws it. */
  readonly plot: { readonly path: string; readonly charts: Charts } | undefined;
  readonly tune: string | undefined;
}

/**
 * Checks that a file can be written, before anything is measured for it.
 *
 * @throws {LaunchRefusedError} If it is a folder, or its folder is missing or protected.
 */
export function checkOutput(what: string, path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    throw new LaunchRefusedError(`Cannot write ${what} to "${path}": it is a folder`);
  }
  try {
    accessSync(stat === undefined ? dirname(resolve(path)) : path, constants.W_OK);
  } catch (cause) {
    throw new LaunchRefusedError(
      `Cannot write ${what} to "${path}": an existing folder that can be written is expected`,
      { cause },
    );
  }
}

/** Takes the lines of all jobs of a run. */
export class BenchOutput {
  readonly #options: OutputOptions;
  readonly #print: (text: string) => void;
  readonly #lines: BenchLine[] = [];
  /** Ranks whose part of the table has begun. */
  #ranks = 0;

  constructor(options: OutputOptions, print: (text: string) => void) {
    this.#options = options;
    this.#print = print;
    if (options.csv === "-") print(csvHeader());
  }

  /** Takes a line of JSON of rank 0. */
  add(text: string): void {
    const line = JSON.parse(text) as BenchLine;
    this.#lines.push(line);
    if (this.#options.json) this.#print(text);
    else if (this.#options.csv === "-") this.#print(csvRow(line));
    else this.#addToTable(line);
  }

  #addToTable(line: BenchLine): void {
    if (line.ranks !== this.#ranks) this.#print(renderHeader(line, this.#options));
    this.#ranks = line.ranks;
    this.#print(renderLine(line, this.#options));
  }

  /** Writes the results that there are as CSV, also when a job has failed. */
  writeCsv(): void {
    const { csv } = this.#options;
    if (csv === undefined || csv === "-") return;
    writeFileSync(csv, `${[csvHeader(), ...this.#lines.map(csvRow)].join("\n")}\n`);
  }

  /** Writes what is made of all results. @param workers what was measured of progress workers */
  finish(workers?: WorkerFigures): void {
    const { plot, tune } = this.#options;
    this.writeCsv();
    if (plot !== undefined) writeFileSync(plot.path, drawBench(plot.charts, this.#lines));
    if (tune !== undefined) {
      const table = { ...tunedTable(this.#lines), ...(workers === undefined ? {} : { workers }) };
      writeFileSync(tune, `${JSON.stringify(table, undefined, 2)}\n`);
    }
  }
}
