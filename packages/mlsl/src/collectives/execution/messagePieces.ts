/** How an operation by messages is cut into pieces that fit the staging blocks. */

import type { TransportSchedule } from "../../schedules/transport/steps.js";
import type { Prepared } from "./prepared.js";

/** Bytes of a caller's buffer and where they are in a piece's. */
export interface PieceBlock {
  /** First byte in the caller's buffer. */
  readonly whole: number;
  /** First byte in the piece's buffer. */
  readonly part: number;
  readonly byteLength: number;
}

/** A piece: the same operation with a smaller count. */
export interface Piece {
  readonly count: number;
  /** First byte of the piece in the vector; 0 where buffers consist of blocks. */
  readonly begin: number;
  readonly sendBlocks: readonly PieceBlock[];
  readonly recvBlocks: readonly PieceBlock[];
}

/** All pieces of an operation. */
export interface PieceShape {
  /** Whether pieces are copied to the staging blocks, rather than worked on where they lie. */
  readonly staged: boolean;
  readonly pieces: readonly Piece[];
  /** Bytes of a staged piece's buffers. */
  readonly sendBytes: number;
  readonly recvBytes: number;
}

/** What pieces must fit. */
export interface PieceLimits {
  readonly ranks: number;
  /** Bytes of a rank's staging blocks. */
  readonly roomBytes: number;
  /** Whether all buffers of all ranks lie in the segment. */
  readonly inside: boolean;
}

/** Makes the schedule of a rank for a count. */
export type ScheduleOf = (rank: number, count: number) => TransportSchedule;

/** How many blocks of the operation's count each buffer has. */
function blocksOf({ operation, pattern, perRank }: Prepared, ranks: number) {
  const gathers = pattern === "fetchAll" || pattern === "fetchToRoot";
  return {
    send: operation.kind === "broadcast" ? 0 : perRank ? ranks : 1,
    recv: gathers ? ranks : 1,
  };
}

/** Staging blocks are cut at cache lines. */
const LINE_BYTES = 64;

function lines(byteLength: number): number {
  return Math.ceil(byteLength / LINE_BYTES) * LINE_BYTES;
}

/**
 * Cuts an operation into pieces; all ranks come to the same ones.
 *
 * @throws {RangeError} If a single element of each rank does not fit the staging blocks.
 */
export function pieceShape(
  prepared: Prepared,
  limits: PieceLimits,
  scheduleOf: ScheduleOf,
): PieceShape {
  const { kind, count, type } = prepared.operation;
  const elementBytes = type?.byteLength ?? 1;
  const blocks = blocksOf(prepared, limits.ranks);
  const scratchBytes = (pieceCount: number): number => {
    let most = 0;
    for (let rank = 0; rank < limits.ranks; rank++) {
      most = Math.max(most, scheduleOf(rank, pieceCount).scratchCount);
    }
    return most * elementBytes;
  };
  const stagedBytes = (pieceCount: number): number =>
    lines(blocks.send * pieceCount * elementBytes) +
    lines(blocks.recv * pieceCount * elementBytes) +
    scratchBytes(pieceCount);
  // A barrier has no elements, but one piece.
  const total = kind === "barrier" ? 1 : count;
  const isVector = blocks.send <= 1 && blocks.recv <= 1;
  const isWhole = limits.inside && scratchBytes(total) <= limits.roomBytes;
  const staged = !isWhole && !(limits.inside && isVector);
  const neededBytes = staged ? stagedBytes : scratchBytes;
  const pieceCount = isWhole ? total : largestCount(total, limits.roomBytes, neededBytes);
  return {
    staged,
    pieces: cut(prepared, { total, pieceCount, elementBytes, ranks: limits.ranks }),
    sendBytes: lines(blocks.send * pieceCount * elementBytes),
    recvBytes: lines(blocks.recv * pieceCount * elementBytes),
  };
}

/** The largest count, by halving, that needs no more than there is. */
function largestCount(
  total: number,
  roomBytes: number,
  neededBytes: (count: number) => number,
): number {
  let count = total;
  while (count > 1 && neededBytes(count) > roomBytes) count = Math.ceil(count / 2);
  if (count > 0 && neededBytes(count) > roomBytes) {
    throw new RangeError(
      `Cannot pass ${total} elements by messages: one element of each rank needs ` +
        `${neededBytes(count)} bytes of staging, ${roomBytes} are there; use algorithm direct`,
    );
  }
  return count;
}

interface Cut {
  readonly total: number;
  readonly pieceCount: number;
  readonly elementBytes: number;
  readonly ranks: number;
}

function cut(prepared: Prepared, { total, pieceCount, elementBytes, ranks }: Cut): Piece[] {
  const blocks = blocksOf(prepared, ranks);
  const isVector = blocks.send <= 1 && blocks.recv <= 1;
  const pieces: Piece[] = [];
  for (let first = 0; first < total; first += pieceCount) {
    const count = Math.min(pieceCount, total - first);
    const list = (length: number): PieceBlock[] =>
      Array.from({ length }, (_, b) => ({
        whole: (b * total + first) * elementBytes,
        part: b * count * elementBytes,
        byteLength: count * elementBytes,
      }));
    const send = prepared.operation.kind === "broadcast" ? 1 : blocks.send;
    pieces.push({
      count,
      begin: isVector ? first * elementBytes : 0,
      sendBlocks: list(send),
      recvBlocks: list(blocks.recv),
    });
  }
  return pieces;
}
