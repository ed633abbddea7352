/**
 * What the algorithms cost. A round is the time of one message; in a round a rank sends at most one
 * message and receives at most one. Rooted collectives have root 0, vectors divide evenly among the
 * ranks.
 */

import { ceilLog2, foldOf } from "./fold.js";

/** What a collective costs. */
export interface Cost {
  /** Length of the longest chain of messages, of which a rank sends and receives one at a time. */
  readonly rounds: number;
  /** The most elements that any rank sends. */
  readonly sentCount: number;
}

/** The cost of an algorithm for a number of ranks and a count, as the collective means it. */
export type CostFormula = (ranks: number, count: number) => Cost;

/** The members of a fold, the logarithm of their number, and whether any has a guest. */
function folded(ranks: number): { members: number; log: number; extra: 0 | 1 } {
  const { size, pairs } = foldOf(ranks);
  return { members: size, log: ceilLog2(size), extra: pairs > 0 ? 1 : 0 };
}

/** One message to everybody else. */
export const everyPeer: CostFormula = (ranks, count) => ({
  rounds: ranks - 1,
  sentCount: (ranks - 1) * count,
});

/** One message from everybody else to the root. */
export const toRoot: CostFormula = (ranks, count) => ({
  rounds: ranks - 1,
  sentCount: ranks > 1 ? count : 0,
});

export const logBroadcast: CostFormula = (ranks, count) => ({
  rounds: ceilLog2(ranks),
  sentCount: ceilLog2(ranks) * count,
});

export const logReduce: CostFormula = (ranks, count) => ({
  rounds: ceilLog2(ranks),
  sentCount: ranks > 1 ? count : 0,
});

/** The half of the blocks that the root is not in goes to it as one message. */
export const logGather: CostFormula = (ranks, count) => ({
  rounds: ceilLog2(ranks),
  sentCount: Math.floor(ranks / 2) * count,
});

/** Of everybody's blocks, all but the own leave (scatter) or are passed on (Bruck's all-gather). */
export const logBlocks: CostFormula = (ranks, count) => ({
  rounds: ceilLog2(ranks),
  sentCount: (ranks - 1) * count,
});

export const ringAllreduce: CostFormula = (ranks, count) => ({
  rounds: 2 * (ranks - 1),
  sentCount: (2 * (ranks - 1) * count) / ranks,
});

export const doublingAllreduce: CostFormula = (ranks, count) => {
  const { log, extra } = folded(ranks);
  return { rounds: log + 2 * extra, sentCount: (log + extra) * count };
};

export const halvingDoubling: CostFormula = (ranks, count) => {
  const { members, log, extra } = folded(ranks);
  const sentCount = (2 * (members - 1) * count) / members + extra * count;
  return { rounds: 2 * (log + extra), sentCount };
};

/** Without a fold everybody keeps one block; with it, guests give all. */
export const halvingReduceScatter: CostFormula = (ranks, count) => {
  const { log, extra } = folded(ranks);
  return { rounds: log + 2 * extra, sentCount: (ranks - 1 + extra) * count };
};

/** Rank 0 is in the largest groups: the first members have guests. */
export const doublingAllgather: CostFormula = (ranks, count) => {
  const { log, extra } = folded(ranks);
  const { size, pairs } = foldOf(ranks);
  let blocks = extra * ranks;
  for (let distance = 1; distance < size; distance *= 2) {
    blocks += distance + Math.min(distance, pairs);
  }
  return { rounds: log + 2 * extra, sentCount: blocks * count };
};

/** In the round of a bit, the blocks leave whose number has it: about half of them. */
export const bruckAlltoall: CostFormula = (ranks, count) => {
  let blocks = 0;
  for (let bit = 1; bit < ranks; bit *= 2) {
    const whole = Math.floor(ranks / (2 * bit));
    blocks += whole * bit + Math.max(0, ranks - whole * 2 * bit - bit);
  }
  return { rounds: ceilLog2(ranks), sentCount: blocks * count };
};

/** One element per round. */
export const dissemination: CostFormula = (ranks) => ({
  rounds: ceilLog2(ranks),
  sentCount: ranks - 1,
});

/**
 * After the halving every block goes to its owner; a guest's block follows that of its keeper, but
 * for the first guest's, which its keeper has itself.
 */
export const halvingInOrder: CostFormula = (ranks, count) => {
  const { log, extra } = folded(ranks);
  const last = Math.min(foldOf(ranks).pairs, 2);
  return {
    rounds: log + extra + (ranks > 2 ? Math.max(1, last) : 0),
    sentCount: (ranks > 2 ? ranks : ranks - 1) * count,
  };
};

/** A scatter along a tree, then a ring; the root sends most. */
export const scatterAllgather: CostFormula = (ranks, count) => ({
  rounds: ceilLog2(ranks) + ranks - 1,
  sentCount: (2 * (ranks - 1) * count) / ranks,
});

/**
 * At most so many rounds. Trees are made to carry many chunks one after the other: then what counts
 * is that nobody sends more than this.
 */
export const doubleTreeBroadcast: CostFormula = (ranks, count) => ({
  rounds: ranks > 1 ? 2 * ceilLog2(ranks) + 1 : 0,
  sentCount: ranks > 1 ? count : 0,
});

/** At most so many rounds. */
export const doubleTreeReduce: CostFormula = (ranks, count) => ({
  rounds: 2 * ceilLog2(ranks),
  sentCount: ranks > 1 ? count : 0,
});

/** At most so many rounds. With less than 4 ranks nobody is between others in both halves. */
export const doubleTreeAllreduce: CostFormula = (ranks, count) => ({
  rounds: 4 * ceilLog2(ranks),
  sentCount: (Math.min(ranks, 4) * count) / 2 - (ranks === 1 ? count / 2 : 0),
});
