/** What a collective operation is, in words, in numbers for its fingerprint, and back. */

import type { OperationPlace } from "../../errors/communicationErrors.js";
import { LINE, LINE_BYTES } from "../../kernels/exchangeLayout.js";
import { DATA_TYPES, type DataTypeInfo, type ElementArray } from "../../memory/dataTypes.js";
import type { OrderOptions } from "../options.js";
import { type Algorithm, algorithmName, DIRECT } from "./algorithms.js";
import { type Operator, operatorName } from "./operators.js";

/** Codes of the collectives in fingerprints. */
const KIND_CODES = {
  allreduce: 1,
  broadcast: 2,
  allgather: 3,
  barrier: 4,
  reduce: 5,
  reduceScatter: 6,
  gather: 7,
  scatter: 8,
  alltoall: 9,
  allgatherv: 10,
  gatherv: 11,
  scatterv: 12,
  reduceScatterv: 13,
  alltoallv: 14,
} as const;

/** Name of a collective. */
export type CollectiveKind = keyof typeof KIND_CODES;

/**
 * Which elements a rank sends to each rank and expects from each, where counts differ. Every rank
 * publishes its own, so that all can compare all.
 */
export interface BlockTables {
  readonly sendCounts: readonly number[];
  readonly sendOffsets: readonly number[];
  readonly recvCounts: readonly number[];
  readonly recvOffsets: readonly number[];
}

/** An operation as this rank asks for it; arguments are checked. */
export interface Operation {
  readonly kind: CollectiveKind;
  /** Of the elements that travel; absent for a barrier. */
  readonly type: DataTypeInfo | undefined;
  /** Of a reduction. */
  readonly operator: Operator | undefined;
  /** Of a broadcast, reduce, gather or scatter; else 0. */
  readonly root: number;
  /**
   * Elements that every rank must agree on: of the vector (allreduce, broadcast, reduce), of a block
   * (the others); 0 where counts vary.
   */
  readonly count: number;
  /** Where counts vary. */
  readonly tables: BlockTables | undefined;
  readonly algorithm: Algorithm;
  /** What else all must agree on, in words; mostly empty. */
  readonly details: string;
  /** Absent on ranks that give nothing. */
  readonly send: ElementArray | undefined;
  /** Absent on ranks that get nothing. */
  readonly recv: ElementArray | undefined;
}

/** What says how an operation's elements are combined or moved. */
export type OperationWay = Partial<Pick<Operation, "type" | "operator" | "algorithm" | "details">>;

/** What differs from call to call. */
export type OperationParts = Partial<
  Pick<Operation, "root" | "count" | "tables" | "send" | "recv">
>;

/**
 * An operation, from what it has beside the usual. Field by field: operations are made in the hot path
 * of training, where copying an object by spreading it costs ten times as much.
 */
export function newOperation(
  kind: CollectiveKind,
  way: OperationWay,
  parts: OperationParts,
): Operation {
  return {
    kind,
    type: way.type,
    operator: way.operator,
    root: parts.root ?? 0,
    count: parts.count ?? 0,
    tables: parts.tables,
    algorithm: way.algorithm ?? DIRECT,
    details: way.details ?? "",
    send: parts.send,
    recv: parts.recv,
  };
}

/** The words that all ranks must agree on, as they stand in an arrival line. */
export interface Fingerprint {
  /** kind + 2⁸ type + 2¹⁶ operator + 2²⁴ algorithm */
  readonly kind: number;
  readonly countLow: number;
  /** root × 2¹⁶ + upper 16 bits of the count, which has 48: no array has more elements. */
  readonly countHighAndRoot: number;
  /** A hash of the details; 0 without any. */
  readonly extra: number;
}

/** 2³². Numbers are cut by arithmetic: bit operations would lose the upper part of a count. */
const WORD = 4294967296;

/** FNV-1a over UTF-16 units, never 0. Different details look alike once in 2³². */
function hashOf(text: string): number {
  if (text === "") return 0;
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 16777619) >>> 0; // bits: a 32-bit hash
  }
  return hash === 0 ? 1 : hash;
}

/** The fingerprint of an operation. */
export function fingerprintOf(operation: Operation): Fingerprint {
  const { kind, type, operator, root, count, algorithm, details } = operation;
  const typeCode = type?.code ?? 0;
  const operatorCode = operator?.code ?? 0;
  return {
    kind: KIND_CODES[kind] + 256 * typeCode + 65536 * operatorCode + 16777216 * algorithm.code,
    countLow: count % WORD,
    countHighAndRoot: Math.floor(count / WORD) + 65536 * root,
    extra: hashOf(details),
  };
}

const KINDS = new Map(
  (Object.keys(KIND_CODES) as CollectiveKind[]).map((kind) => [KIND_CODES[kind] as number, kind]),
);

interface Words {
  readonly op: string;
  readonly elements: string;
  readonly type: string;
  readonly root: number;
}

function operationText(kind: CollectiveKind, { op, elements, type, root }: Words): string {
  switch (kind) {
    case "barrier":
      return kind;
    case "allreduce":
      return `allreduce ${op} of ${elements}`;
    case "reduce":
      return `reduce ${op} of ${elements} to rank ${root}`;
    case "reduceScatter":
      return `reduceScatter ${op} of ${elements} per rank`;
    case "reduceScatterv":
      return `reduceScatterv ${op} of ${type}`;
    case "broadcast":
      return `broadcast of ${elements} from rank ${root}`;
    case "gather":
      return `gather of ${elements} per rank to rank ${root}`;
    case "scatter":
      return `scatter of ${elements} per rank from rank ${root}`;
    case "gatherv":
      return `gatherv of ${type} to rank ${root}`;
    case "scatterv":
      return `scatterv of ${type} from rank ${root}`;
    case "allgather":
    case "alltoall":
      return `${kind} of ${elements} per rank`;
    default:
      return `${kind} of ${type}`;
  }
}

/**
 * A fingerprint in words, like "allreduce sum of 1000 float32".
 *
 * @param details the words behind its hash
 */
export function fingerprintText(
  { kind: word, countLow, countHighAndRoot }: Omit<Fingerprint, "extra">,
  details: string,
): string {
  const kind = KINDS.get(word % 256);
  if (kind === undefined) return `operation of kind ${word % 256}`;
  const typeCode = Math.floor(word / 256) % 256;
  const type = DATA_TYPES.find(({ code }) => code === typeCode)?.name ?? `type ${typeCode}`;
  const op = operatorName(Math.floor(word / 65536) % 256, details);
  const count = countLow + WORD * (countHighAndRoot % 65536);
  const root = Math.floor(countHighAndRoot / 65536);
  const text = operationText(kind, { op, elements: `${count} ${type}`, type, root });
  const algorithmCode = Math.floor(word / 16777216);
  const how = algorithmCode === 0 ? "" : ` by ${algorithmName(kind, algorithmCode)}`;
  return `${text}${how}${details === "" ? "" : ` (${details})`}`;
}

/** An operation in words. */
export function describe(operation: Operation): string {
  return fingerprintText(fingerprintOf(operation), operation.details);
}

/** The fingerprint that stands in an arrival line. */
export function readFingerprint(words: Int32Array, lines: number, rank: number): Fingerprint {
  const first = (lines + rank * LINE_BYTES) / 4;
  const word = (index: number): number => (words[first + index]! + WORD) % WORD;
  return {
    kind: word(LINE.kind),
    countLow: word(LINE.countLow),
    countHighAndRoot: word(LINE.countHighAndRoot),
    extra: word(LINE.extra),
  };
}

/** The operation under a name, which ranks must agree on like on everything else. */
export function withName(operation: Operation, options: object | undefined): Operation {
  const { name } = (options ?? {}) as OrderOptions;
  if (name === undefined) return operation;
  const details = operation.details === "" ? "" : `${operation.details}, `;
  return { ...operation, details: `${details}name "${name}"` };
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
