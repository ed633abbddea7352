/**
 * Where the data of an operation lies while workers carry it out: in the caller's buffers, as far as
 * they are in the segment, else in blocks of this rank's arena.
 */

import { overlaps } from "../arguments/checks.js";
import { copyIntoStaging, copyOut } from "../execution/copies.js";
import type { ExecutionContext } from "../execution/meeting.js";
import type { Prepared } from "../execution/prepared.js";

/** Blocks begin at cache lines. */
const LINE_BYTES = 64;

/** A part of a result, in bytes. */
interface Part {
  readonly at: number;
  readonly byteLength: number;
}

/** What an operation needs besides the caller's buffers. */
export interface Staging {
  /** Bytes of the blocks that stand for `send` and `recv`; 0 where the buffer itself serves. */
  readonly sendBytes: number;
  readonly recvBytes: number;
  /** Whether one block stands for both. */
  readonly isShared: boolean;
  /** In place: element i of send is element i + this of recv. */
  readonly sendInRecv: number | undefined;
  /** Parts of `recv` that get a result. */
  readonly results: readonly Part[];
}

function lines(byteLength: number): number {
  return Math.ceil(byteLength / LINE_BYTES) * LINE_BYTES;
}

/** Kinds whose result may leave gaps between the blocks of `recv`, which stay as they are. */
const WITH_GAPS: ReadonlySet<string> = new Set(["allgatherv", "gatherv", "alltoallv"]);

function resultsOf({ operation, gets }: Prepared): Part[] {
  const { kind, recv, tables, type } = operation;
  if (!gets) return [];
  const { byteLength: elementBytes } = type!;
  if (!WITH_GAPS.has(kind)) return [{ at: 0, byteLength: recv!.length * elementBytes }];
  return tables!.recvCounts.map((count, from) => ({
    at: tables!.recvOffsets[from]! * elementBytes,
    byteLength: count * elementBytes,
  }));
}

/** Works out what an operation needs. */
export function stagingOf(prepared: Prepared): Staging {
  const { operation, staged, recvOutside } = prepared;
  const { kind, send, recv, type } = operation;
  const elementBytes = type?.byteLength ?? 1;
  const results = resultsOf(prepared);
  const isOneBuffer = kind === "broadcast";
  const sendBytes = staged && !isOneBuffer ? lines(send!.length * elementBytes) : 0;
  const recvBytes = recvOutside ? lines(recv!.length * elementBytes) : 0;
  // What was copied aside may be overwritten.
  const isShared =
    sendBytes > 0 && sendBytes === recvBytes && (kind === "allreduce" || kind === "reduce");
  const isInPlace =
    !isOneBuffer && !staged && !recvOutside && send !== undefined && recv !== undefined;
  const sendInRecv = isShared
    ? 0
    : isInPlace && overlaps(send, recv)
      ? (send.byteOffset - recv.byteOffset) / elementBytes
      : undefined;
  return { sendBytes, recvBytes, isShared, sendInRecv, results };
}

/** The blocks of one start. */
export interface StagedBlocks {
  readonly send: number;
  readonly recv: number;
  readonly scratch: number;
  /** Address of the memory that was taken for it; 0 if none was. */
  readonly taken: number;
}

/** Bytes that a start takes of this rank's arena. */
export function stagedBytes(
  { sendBytes, recvBytes, isShared }: Staging,
  scratchBytes: number,
): number {
  return sendBytes + (isShared ? 0 : recvBytes) + scratchBytes;
}

/**
 * Takes memory for a start.
 *
 * @throws {SegmentFullError} If there is too little.
 */
export function takeStaged(
  { segment, reclaimers }: ExecutionContext,
  prepared: Prepared,
  staging: Staging,
  scratchBytes: number,
): StagedBlocks {
  const bytes = stagedBytes(staging, scratchBytes);
  const taken = bytes === 0 ? 0 : reclaimers.take(() => segment.allocateBytes(bytes));
  const { sendBytes, recvBytes, isShared } = staging;
  const afterSend = taken + (isShared ? 0 : sendBytes);
  return {
    send: sendBytes > 0 ? taken : (prepared.send ?? 0),
    recv: recvBytes > 0 ? afterSend : (prepared.recv ?? 0),
    scratch: afterSend + recvBytes,
    taken,
  };
}

/** Copies what this rank gives into its block, widened to the type that travels. */
export function stageIn(
  context: ExecutionContext,
  { operation, gives }: Prepared,
  staging: Staging,
  blocks: StagedBlocks,
): void {
  const isBroadcast = operation.kind === "broadcast";
  const isStaged = isBroadcast ? gives && staging.recvBytes > 0 : staging.sendBytes > 0;
  if (!isStaged) return;
  const target = isBroadcast ? blocks.recv : blocks.send;
  const byteLength = operation.send!.length * operation.type!.byteLength;
  copyIntoStaging(context, operation, { source: 0, target, byteLength });
}

/** Copies the result to where the caller wants it. */
export function stageOut(
  context: ExecutionContext,
  prepared: Prepared,
  staging: Staging,
  { recv }: StagedBlocks,
): void {
  if (staging.recvBytes === 0) return;
  for (const { at, byteLength } of staging.results) {
    copyOut(context, prepared, { source: recv + at, target: at, byteLength });
  }
}
