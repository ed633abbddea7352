/** Which bytes of whose buffers a rank works on in a direct schedule. */

import type { DirectPattern } from "./direct.js";

/** A block of a buffer, in bytes. */
export interface Block {
  readonly at: number;
  readonly byteLength: number;
}

/** What goes from one rank to another. */
export interface Transfer {
  /** First byte in the giver's buffer. */
  readonly source: number;
  /** First byte in the taker's result. */
  readonly target: number;
  readonly byteLength: number;
}

/** The blocks of an operation as one rank sees them. */
export interface DirectBlocks {
  /** Blocks of this rank's buffer that others want; as many as share a staging block. */
  readonly own: readonly Block[];
  /** What this rank copies, or reduces, from each rank. */
  readonly fetches: readonly Transfer[];
  /** What each rank gets of this one. */
  readonly gives: readonly Transfer[];
  /** Which of a giver's blocks this rank wants, where it has several. */
  readonly slot: number;
  /** How many blocks a giver has. */
  readonly slots: number;
  /** Bytes of the longest block of any rank. */
  readonly longest: number;
}

/** An operation whose blocks all have the same size. */
export interface UniformShape {
  readonly pattern: DirectPattern;
  readonly rank: number;
  readonly ranks: number;
  /** Whether a giver has a block for every rank, or one for all. */
  readonly perRank: boolean;
  readonly blockBytes: number;
}

/** The blocks of operations with one count. */
export function uniformBlocks(shape: UniformShape): DirectBlocks {
  const { pattern, rank, ranks, perRank, blockBytes } = shape;
  const slots = perRank ? ranks : 1;
  const slot = perRank ? rank : 0;
  const gathers = pattern === "fetchAll" || pattern === "fetchToRoot";
  const own = Array.from({ length: slots }, (_, i) => ({
    at: i * blockBytes,
    byteLength: blockBytes,
  }));
  const fetches = Array.from({ length: ranks }, (_, from) => ({
    source: slot * blockBytes,
    target: gathers ? from * blockBytes : 0,
    byteLength: blockBytes,
  }));
  const gives = Array.from({ length: ranks }, (_, to) => ({
    source: perRank ? to * blockBytes : 0,
    target: gathers ? rank * blockBytes : 0,
    byteLength: blockBytes,
  }));
  return { own, fetches, gives, slot, slots, longest: blockBytes };
}

/** Where the blocks of one rank lie, in elements, by the other rank. */
export interface RankTables {
  readonly sendCounts: ArrayLike<number>;
  readonly sendOffsets: ArrayLike<number>;
  readonly recvCounts: ArrayLike<number>;
  readonly recvOffsets: ArrayLike<number>;
}

/** An operation whose blocks have sizes of their own. */
export interface VariableShape {
  readonly rank: number;
  readonly perRank: boolean;
  readonly elementBytes: number;
}

/** What this rank stages: known before the others are. */
export function ownBlocks(
  { sendCounts, sendOffsets }: RankTables,
  { rank, perRank, elementBytes }: VariableShape,
): Block[] {
  const slots = perRank ? sendCounts.length : 1;
  return Array.from({ length: slots }, (_, i) => {
    // A block that is the same for all is as long as the longest that anybody wants of it.
    const count = perRank ? sendCounts[i]! : Math.max(...Array.from(sendCounts));
    const offset = sendOffsets[perRank ? i : rank]!;
    return { at: offset * elementBytes, byteLength: count * elementBytes };
  });
}

/** The blocks of operations whose counts vary, from the tables of all ranks. */
export function variableBlocks(tables: readonly RankTables[], shape: VariableShape): DirectBlocks {
  const { rank, perRank, elementBytes } = shape;
  const { recvCounts, recvOffsets } = tables[rank]!;
  const fetches = tables.map(({ sendOffsets }, from) => ({
    source: sendOffsets[rank]! * elementBytes,
    target: recvOffsets[from]! * elementBytes,
    byteLength: recvCounts[from]! * elementBytes,
  }));
  const { sendCounts, sendOffsets } = tables[rank]!;
  const gives = tables.map((other, to) => ({
    source: sendOffsets[to]! * elementBytes,
    target: other.recvOffsets[rank]! * elementBytes,
    byteLength: sendCounts[to]! * elementBytes,
  }));
  let longest = 0;
  for (const { sendCounts: counts } of tables) longest = Math.max(longest, ...Array.from(counts));
  return {
    own: ownBlocks(tables[rank]!, shape),
    fetches,
    gives,
    slot: perRank ? rank : 0,
    slots: perRank ? tables.length : 1,
    longest: longest * elementBytes,
  };
}

/** Pairs of ranks that an error names: one wrong list of counts makes many, which say the same. */
const MAX_PAIRS = 8;

/** Pairs of ranks in words. */
export function disagreementTexts(pairs: readonly Disagreement[]): string[] {
  const texts = pairs
    .slice(0, MAX_PAIRS)
    .map(({ from, to, sent, expected }) => `${from}→${to}: ${sent} sent, ${expected} expected`);
  if (pairs.length > MAX_PAIRS) texts.push(`${pairs.length - MAX_PAIRS} more pairs`);
  return texts;
}

/** A pair of ranks that do not mean the same block. */
export interface Disagreement {
  readonly from: number;
  readonly to: number;
  readonly sent: number;
  readonly expected: number;
}

/** The pairs of ranks of which one sends another count than the other expects. */
export function disagreements(tables: readonly RankTables[]): Disagreement[] {
  const found: Disagreement[] = [];
  tables.forEach(({ sendCounts }, from) => {
    tables.forEach(({ recvCounts }, to) => {
      const [sent, expected] = [sendCounts[to]!, recvCounts[from]!];
      if (sent !== expected) found.push({ from, to, sent, expected });
    });
  });
  return found;
}
