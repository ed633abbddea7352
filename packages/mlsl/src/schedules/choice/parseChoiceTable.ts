/** Reads a table of choices that somebody has written, and says exactly what is wrong with it. */

import { MAX_RANKS } from "../transport/checkShape.js";
import { ALGORITHMS, TRANSPORT_KINDS } from "../transport/registry.js";
import type { TransportKind } from "../transport/shapes.js";
import {
  type ChoiceEntry,
  type ChoiceTable,
  DIRECT,
  KINDS_WITHOUT_BYTES,
  type WorkerFigures,
} from "./choiceTable.js";

/** Most entries of a table: every kind has room for hundreds, and a wrong file stays harmless. */
const MAX_ENTRIES = 4096;

type Fields = Readonly<Record<string, unknown>>;

function show(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

function wrong(where: string, expected: string, value: unknown): RangeError {
  return new RangeError(
    `Cannot read choice table: ${where} must be ${expected}, got ${show(value)}`,
  );
}

function fieldsOf(where: string, value: unknown, names: readonly string[]): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`Cannot read choice table: ${where} must be an object, got ${show(value)}`);
  }
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw wrong(`a field of ${where}`, `one of ${names.join(", ")}`, unknown);
  return value as Fields;
}

function limitOf(where: string, value: unknown, [least, most]: readonly [number, number]) {
  if (value === undefined) return undefined;
  const isFine =
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  if (!isFine) throw wrong(where, `an integer from ${least} to ${most}`, value);
  return value as number;
}

function kindOf(where: string, value: unknown): TransportKind {
  const kind = TRANSPORT_KINDS.find((one) => one === value);
  if (kind === undefined) throw wrong(where, `one of ${TRANSPORT_KINDS.join(", ")}`, value);
  return kind;
}

function algorithmOf(where: string, kind: TransportKind, value: unknown): string {
  const names = [DIRECT, ...ALGORITHMS[kind].map(({ name }) => name)];
  if (typeof value !== "string" || !names.includes(value)) {
    throw wrong(where, `one of ${names.join(", ")} for ${kind}`, value);
  }
  return value;
}

function entryOf(value: unknown, index: number): ChoiceEntry {
  const where = `entry ${index}`;
  const names = ["kind", "minRanks", "maxRanks", "maxBytes", "algorithm"];
  const fields = fieldsOf(where, value, names);
  const kind = kindOf(`"kind" of ${where}`, fields.kind);
  const algorithm = algorithmOf(`"algorithm" of ${where}`, kind, fields.algorithm);
  const minRanks = limitOf(`"minRanks" of ${where}`, fields.minRanks, [1, MAX_RANKS]);
  const least = minRanks ?? 1;
  const maxRanks = limitOf(`"maxRanks" of ${where}`, fields.maxRanks, [least, MAX_RANKS]);
  const mostBytes = Number.MAX_SAFE_INTEGER;
  const maxBytes = limitOf(`"maxBytes" of ${where}`, fields.maxBytes, [0, mostBytes]);
  if (maxBytes !== undefined && KINDS_WITHOUT_BYTES.has(kind)) {
    throw wrong(
      `"maxBytes" of ${where}`,
      `absent, as not every rank knows those of ${kind}`,
      maxBytes,
    );
  }
  return {
    kind,
    ...(minRanks !== undefined && { minRanks }),
    ...(maxRanks !== undefined && { maxRanks }),
    ...(maxBytes !== undefined && { maxBytes }),
    algorithm,
  };
}

function figureOf(where: string, value: unknown): number {
  if (Number.isFinite(value) && (value as number) > 0) return value as number;
  throw wrong(where, "a number over 0", value);
}

function workersOf(value: unknown): WorkerFigures {
  const { overheadMs, bandwidthGBps } = fieldsOf('"workers"', value, [
    "overheadMs",
    "bandwidthGBps",
  ]);
  return {
    overheadMs: figureOf('"overheadMs" of "workers"', overheadMs),
    bandwidthGBps: figureOf('"bandwidthGBps" of "workers"', bandwidthGBps),
  };
}

/**
 * Checks what was read from a file.
 *
 * @param json the parsed text of the table
 * @throws {TypeError} if the table or an entry is not an object
 * @throws {RangeError} if a field is unknown or has an impossible value; the message names the
 *   entry by its number from 0, what was expected and what was given
 */
export function parseChoiceTable(json: unknown): ChoiceTable {
  const names = ["version", "entries", "workers"];
  const { version, entries, workers } = fieldsOf("the table", json, names);
  if (version !== 1) throw wrong('"version"', "1", version);
  if (!Array.isArray(entries) || entries.length > MAX_ENTRIES) {
    const expected = `a list of at most ${MAX_ENTRIES} entries`;
    throw wrong('"entries"', expected, Array.isArray(entries) ? entries.length : entries);
  }
  const choices = { version: 1 as const, entries: entries.map(entryOf) };
  return workers === undefined ? choices : { ...choices, workers: workersOf(workers) };
}
