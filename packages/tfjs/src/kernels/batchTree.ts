// In what order the kernels add up the samples of a batch. The sum f over samples S is a tree that
// deals them as `shard` deals them to ranks:
//
//   f(S) = S in order, one after the other             if S is at most 16 samples: a leaf
//   f(S) = f(S[0], S[2], S[4], …) + f(S[1], S[3], …)   otherwise
//
// So the sum over a batch of 64 is, bit for bit, the sum that 2 ranks with 32 of its samples each make
// and then add, and the average of their gradients is the gradient of one rank: rounding differences
// would grow exponentially over the steps of a training, none at all cannot. Every set of samples in
// the tree is an arithmetic progression, so kernels read it by a start and a step, without copies.
//
// Kernels that sum over samples: the matrix product with A transposed (matmul.ts), the gradients of
// filters (conv.ts, depthwise.ts), Sum and Mean over the first axis (reduce.ts). Two batches agree only
// where the larger is split: if it has more than 16 samples.
//
// Not in the tree: the gradients of a batch normalisation's own weights, whose statistics are each
// rank's anyway; and what arrives without its samples, as rows in order: gathers (embeddings), einsums,
// and dense layers on sequences, which flatten [samples, steps] into rows before the product.

/** Samples that are added in order: 4 ranks share a batch of 64, and fewer make the tree cost more. */
export const LEAF_SAMPLES = 16;

/** The samples start, start + step, … and what to do with their sum. */
export interface Leaf {
  readonly start: number;
  readonly step: number;
  readonly count: number;
  /** Sums waiting before this one that are to be added to it, the latest first. */
  readonly merges: number;
}

/**
 * The leaves of the tree over `samples` samples, in the order in which a stack of sums adds them up:
 * each leaf's sum takes in `merges` sums from the stack and is then put onto it. The last one has
 * taken in all.
 * @param most Cuts the tree at sets of at most so many samples instead, for what is a tree within
 */
export function treeLeaves(samples: number, most: number = LEAF_SAMPLES): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (start: number, step: number, count: number, merges: number): void => {
    if (count <= most) {
      leaves.push({ start, step, count, merges });
      return;
    }
    visit(start, 2 * step, Math.ceil(count / 2), 0);
    visit(start + step, 2 * step, Math.floor(count / 2), merges + 1);
  };
  visit(0, 1, samples, 0);
  return leaves;
}

/** Levels of the tree over `samples` samples: as many sums wait at most. */
export function treeLevels(samples: number, most: number = LEAF_SAMPLES): number {
  let levels = 0;
  for (let count = samples; count > most; count = Math.ceil(count / 2)) levels++;
  return levels;
}
