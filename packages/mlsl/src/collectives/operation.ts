/** What an operation is, in words, in numbers for its fingerprint, and back. */

import type { OperationPlace } from "../errors/communicationErrors.js";
import { LINE, LINE_BYTES } from "../kernels/exchangeLayout.js";
import { OP_CODES } from "../kernels/kernels.js";
import { DATA_TYPES, type DataTypeInfo, type ElementArray } from "../memory/dataTypes.js";
import type { ReduceOp } from "./api.js";

/** Codes of the collectives in fingerprints. */
const KIND_CODES = { allreduce: 1, broadcast: 2, allgather: 3, barrier: 4 } as const;

/** Name of a collective. */
export type CollectiveKind = keyof typeof KIND_CODES;

/** An operation as this rank asks for it; arguments are checked. */
export interface Operation {
  readonly kind: CollectiveKind;
  /** Absent for a barrier. */
  readonly type: DataTypeInfo | undefined;
  /** Of an all-reduce. */
  readonly op: ReduceOp | undefined;
  /** Of a broadcast; else 0. */
  readonly root: number;
  /** Elements of `send`, which every rank must agree on. */
  readonly count: number;
  readonly send: ElementArray | undefined;
  readonly recv: ElementArray | undefined;
}

/** The words that all ranks must agree on, as they stand in an arrival line. */
export interface Fingerprint {
  /** kind | type << 8 | operator << 16 */
  readonly kind: number;
  readonly countLow: number;
  /** root << 16 | upper 16 bits of the count, which has 48. */
  readonly countHighAndRoot: number;
}

/** 2³². A count is cut by arithmetic: bit operations would lose its upper part. */
const WORD = 4294967296;

/** The fingerprint of an operation. */
export function fingerprintOf({ kind, type, op, root, count }: Operation): Fingerprint {
  const opCode = op === undefined ? 0 : OP_CODES[op];
  return {
    kind: KIND_CODES[kind] + 256 * (type?.code ?? 0) + 65536 * opCode,
    countLow: count % WORD,
    countHighAndRoot: Math.floor(count / WORD) + 65536 * root,
  };
}

function nameOf<T extends string>(codes: Readonly<Record<T, number>>, code: number): T | undefined {
  const names = Object.keys(codes) as T[];
  return names.find((name) => codes[name] === code);
}

function operationText(kind: string, parts: { op: string; elements: string; root: number }) {
  switch (kind) {
    case "allreduce":
      return `allreduce ${parts.op} of ${parts.elements}`;
    case "broadcast":
      return `broadcast of ${parts.elements} from rank ${parts.root}`;
    case "allgather":
      return `allgather of ${parts.elements} per rank`;
    default:
      return kind;
  }
}

/** A fingerprint in words, like "allreduce sum of 1000 float32". */
export function fingerprintText({ kind, countLow, countHighAndRoot }: Fingerprint): string {
  const kindName = nameOf(KIND_CODES, kind % 256) ?? `operation of kind ${kind % 256}`;
  const typeCode = Math.floor(kind / 256) % 256;
  const type = DATA_TYPES.find(({ code }) => code === typeCode)?.name ?? `type ${typeCode}`;
  const op = nameOf(OP_CODES, Math.floor(kind / 65536)) ?? "unknown operator";
  const count = countLow + WORD * (countHighAndRoot % 65536);
  const root = Math.floor(countHighAndRoot / 65536);
  return operationText(kindName, { op, elements: `${count} ${type}`, root });
}

/** An operation in words. */
export function describe(operation: Operation): string {
  return fingerprintText(fingerprintOf(operation));
}

/** The fingerprint that stands in an arrival line. */
export function readFingerprint(words: Int32Array, lines: number, rank: number): Fingerprint {
  const first = (lines + rank * LINE_BYTES) / 4;
  const word = (index: number): number => (words[first + index]! + WORD) % WORD;
  return {
    kind: word(LINE.kind),
    countLow: word(LINE.countLow),
    countHighAndRoot: word(LINE.countHighAndRoot),
  };
}

/** What errors say about where an operation stood. */
export interface GroupPlace {
  readonly group: string;
  readonly rank: number;
}

/** Place of an operation for its errors. */
export function placeOf(group: GroupPlace, operation: Operation, sequence: number): OperationPlace {
  return { ...group, operation: describe(operation), sequence };
}
