/**
 * An operation with everything that follows from its arguments worked out once: asking a typed
 * array for its buffer and offset costs more than a small all-reduce.
 */

import { SLOT_BYTES } from "../../kernels/exchangeLayout.js";
import { dataTypeOf, type ElementArray } from "../../memory/dataTypes.js";
import type { Segment } from "../../memory/segment.js";
import type { DirectPattern, Step } from "../../schedules/direct.js";
import {
  type Block,
  type DirectBlocks,
  ownBlocks,
  uniformBlocks,
} from "../../schedules/directBlocks.js";
import type { GroupShape } from "../arguments/checks.js";
import { DIRECT } from "../operations/algorithms.js";
import { type Fingerprint, fingerprintOf, type Operation } from "../operations/operation.js";
import { KIND_INFO, reduces } from "./kinds.js";

/**
 * What kernels do with data that travels with the meeting as soon as all have come: combine it, copy
 * it, or nothing, because there is none, or it is left to the caller.
 */
export type Delivery = "reduce" | "fetch" | "none";

/**
 * Up to so many bytes 2 ranks combine all of a vector themselves; beyond it, each combines half of it for
 * both in place, which takes two more meetings and reads and writes less than half as much (`mlsl bench
 * --ops allreduce --sizes 2K,3K,4K`). Among more ranks those meetings cost more, as cores may be shared.
 */
const PAIR_ALLREDUCE_BYTES = 2048;

/** Up to how many bytes the data travels with the meeting. */
function mostSmallBytes({ kind }: Operation, ranks: number): number {
  return kind === "allreduce" && ranks === 2 ? PAIR_ALLREDUCE_BYTES : SLOT_BYTES;
}

/** An operation of a group, ready to be executed any number of times. */
export interface Prepared {
  readonly operation: Operation;
  readonly print: Fingerprint;
  /** "fetchAll" for a barrier, which has nothing to fetch. */
  readonly pattern: DirectPattern;
  /** Whether a giver has a block for every rank, or one for all. */
  readonly perRank: boolean;
  /** Bytes of the larger of this rank's buffers, for statistics. */
  readonly byteLength: number;
  /** Bytes that a giver publishes when the data travels with the meeting. */
  readonly payloadBytes: number;
  /** Whether the data travels with the meeting, so that no schedule is needed. */
  readonly small: boolean;
  readonly delivery: Delivery;
  /** Byte offset in the segment; undefined when the array lies outside, or there is none. */
  readonly send: number | undefined;
  readonly recv: number | undefined;
  /** Whether send must pass through the staging blocks. */
  readonly staged: boolean;
  readonly recvOutside: boolean;
  /** Whether this rank's data is of use to others. */
  readonly gives: boolean;
  /** Whether this rank gets a result. */
  readonly gets: boolean;
  /** Whether the data is combined, rather than copied. */
  readonly combines: boolean;
  /** Whether kernels combine it, rather than an operator of the user. */
  readonly byKernel: boolean;
  /** This rank's blocks, which it may have to stage before it knows the others'. */
  readonly own: readonly Block[];
  /** All blocks; undefined as long as they depend on other ranks' tables. */
  readonly blocks: DirectBlocks | undefined;
  /** The schedule of the last execution, which the next has, too, if it has as many chunks. */
  readonly lastSteps: { chunks: number; steps: readonly Step[] };
}

function givesData({ kind, root, send }: Operation, rank: number): boolean {
  if (send === undefined || send.length === 0) return false;
  return (kind !== "broadcast" && kind !== "scatter") || root === rank;
}

function getsData({ kind, root, recv }: Operation, rank: number): boolean {
  if (recv === undefined || recv.length === 0) return false;
  // The root of a broadcast has what the others get.
  return kind !== "broadcast" || root !== rank;
}

/** Whether send must be copied aside first, wherever it lies. */
function mustStage({ kind, send, recv, type }: Operation): boolean {
  if (send === undefined || send.length === 0) return false;
  if (dataTypeOf(send) !== type) return true;
  // In place, every rank would overwrite what others have not read yet.
  return (
    kind === "alltoall" && send.byteOffset === recv!.byteOffset && send.buffer === recv!.buffer
  );
}

/** Byte length of an array in the type that travels. */
function wireBytes(array: ElementArray | undefined, { type }: Operation): number {
  return array === undefined ? 0 : array.length * type!.byteLength;
}

function deliveryOf(small: {
  combines: boolean;
  byKernel: boolean;
  recvInside: boolean;
}): Delivery {
  if (small.combines) return small.byKernel ? "reduce" : "none";
  return small.recvInside ? "fetch" : "none";
}

/** Works out what follows from an operation's arguments. */
export function prepare(operation: Operation, segment: Segment, shape: GroupShape): Prepared {
  const { kind, send, recv, type, tables, count, algorithm } = operation;
  const { rank, ranks } = shape;
  const { pattern, perRank } = kind === "barrier" ? KIND_INFO.allgather : KIND_INFO[kind];
  const sendInside = send !== undefined && segment.holds(send);
  const recvInside = recv !== undefined && segment.holds(recv);
  const elementBytes = type?.byteLength ?? 1;
  const blockBytes = count * elementBytes;
  const payloadBytes = blockBytes * (perRank ? ranks : 1);
  const variable = { rank, perRank, elementBytes };
  const blocks =
    tables === undefined ? uniformBlocks({ pattern, rank, ranks, perRank, blockBytes }) : undefined;
  const gives = givesData(operation, rank);
  const gets = getsData(operation, rank);
  const mostBytes = mostSmallBytes(operation, ranks);
  const small = tables === undefined && payloadBytes <= mostBytes && algorithm === DIRECT;
  const combines = reduces(pattern);
  const byKernel = operation.operator?.user === undefined;
  return {
    operation,
    print: fingerprintOf(operation),
    pattern,
    perRank,
    byteLength: Math.max(wireBytes(send, operation), wireBytes(recv, operation)),
    payloadBytes,
    small,
    delivery: small && gets ? deliveryOf({ combines, byKernel, recvInside }) : "none",
    send: sendInside ? send.byteOffset : undefined,
    recv: recvInside ? recv.byteOffset : undefined,
    staged: gives && (!sendInside || mustStage(operation)),
    recvOutside: recv !== undefined && !recvInside,
    gives,
    gets,
    combines,
    byKernel,
    own: tables === undefined ? blocks!.own : ownBlocks(tables, variable),
    blocks,
    lastSteps: { chunks: -1, steps: [] },
  };
}
