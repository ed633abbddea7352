/** What is used where nobody has measured. */

import { MAX_RANKS } from "../transport/checkShape.js";
import { TRANSPORT_KINDS } from "../transport/registry.js";
import { type ChoiceEntry, type ChoiceTable, DIRECT } from "./choiceTable.js";

/** Ranks that share memory send nothing. */
export const SHARED_MEMORY_CHOICES: ChoiceTable = {
  version: 1,
  entries: TRANSPORT_KINDS.map((kind) => ({ kind, algorithm: DIRECT })),
};

const KIB = 1024;

/** An all-gather by doubling without folding: a fold would send everything once more. */
function doublingAllgathers(maxBytes: number): ChoiceEntry[] {
  const entries: ChoiceEntry[] = [];
  for (let ranks = 2; ranks <= MAX_RANKS; ranks *= 2) {
    for (const kind of ["allgather", "allgatherv"] as const) {
      const limits = { minRanks: ranks, maxRanks: ranks, maxBytes };
      entries.push({ kind, ...limits, algorithm: "recursiveDoubling" });
    }
  }
  return entries;
}

/**
 * Ranks that exchange messages. Short vectors are bound by rounds, long ones by bytes.
 *
 * Sources, by collective. [T] R. Thakur, R. Rabenseifner, W. Gropp, Optimization of collective
 * communication operations in MPICH, IJHPCA 19(1), 2005, section 4 under the collective's name; its
 * thresholds were measured on clusters of 2004, and are kept until they are measured anew.
 * - broadcast: [T], binomial below 12 KiB or 8 ranks, then scatter and all-gather.
 * - reduce: binomial up to 2 KiB as [T]; beyond it two trees, P. Sanders, J. Speck, J. L. Träff,
 *   Parallel Computing 35(12), 2009, instead of a reduce-scatter and a gather.
 * - allreduce: [T], doubling up to 2 KiB, then halving and doubling. From 512 KiB on the ring of
 *   P. Patarasuk, X. Yuan, JPDC 69(2), 2009, which sends as little and whose neighbours are always
 *   the same, but on no more than 64 ranks: its rounds grow with their number.
 * - reduceScatter: [T], halving below 512 KiB, pairwise beyond.
 * - allgather: [T], doubling below 512 KiB for a power of two of ranks, Bruck below 80 KiB
 *   otherwise, then the ring.
 * - gather, scatter: binomial as [T]. Long blocks go straight: the root's link is as busy, and
 *   nobody sends what is another's. From where on is a guess: 32 KiB, as for alltoall.
 * - alltoall: [T], Bruck up to 256 bytes, all at once up to 32 KiB, pairwise beyond.
 * - alltoallv: all at once as [T].
 *
 * Last come entries that keep the order of the ranks, for operators that do not commute.
 */
export const MESSAGE_CHOICES: ChoiceTable = {
  version: 1,
  entries: [
    { kind: "barrier", algorithm: "dissemination" },
    { kind: "broadcast", maxRanks: 7, algorithm: "binomial" },
    { kind: "broadcast", maxBytes: 12 * KIB, algorithm: "binomial" },
    { kind: "broadcast", algorithm: "scatterAllgather" },
    { kind: "reduce", maxBytes: 2 * KIB, algorithm: "binomial" },
    { kind: "reduce", algorithm: "doubleTree" },
    { kind: "reduce", algorithm: "binomial" },
    { kind: "allreduce", maxBytes: 2 * KIB, algorithm: "recursiveDoubling" },
    { kind: "allreduce", maxBytes: 512 * KIB, algorithm: "halvingDoubling" },
    { kind: "allreduce", maxRanks: 64, algorithm: "ring" },
    { kind: "allreduce", algorithm: "halvingDoubling" },
    { kind: "reduceScatter", maxBytes: 512 * KIB, algorithm: "recursiveHalving" },
    { kind: "reduceScatter", algorithm: "pairwise" },
    { kind: "reduceScatter", algorithm: "halvingInOrder" },
    { kind: "reduceScatterv", maxBytes: 512 * KIB, algorithm: "recursiveHalving" },
    { kind: "reduceScatterv", algorithm: "pairwise" },
    { kind: "reduceScatterv", algorithm: "halvingInOrder" },
    ...doublingAllgathers(512 * KIB),
    { kind: "allgather", maxBytes: 80 * KIB, algorithm: "bruck" },
    { kind: "allgather", algorithm: "ring" },
    { kind: "allgatherv", maxBytes: 80 * KIB, algorithm: "bruck" },
    { kind: "allgatherv", algorithm: "ring" },
    { kind: "gather", maxBytes: 32 * KIB, algorithm: "binomial" },
    { kind: "gather", algorithm: "linear" },
    { kind: "gatherv", algorithm: "linear" },
    { kind: "scatter", maxBytes: 32 * KIB, algorithm: "binomial" },
    { kind: "scatter", algorithm: "linear" },
    { kind: "scatterv", algorithm: "linear" },
    { kind: "alltoall", maxBytes: 256, algorithm: "bruck" },
    { kind: "alltoall", maxBytes: 32 * KIB, algorithm: "linear" },
    { kind: "alltoall", algorithm: "pairwise" },
    { kind: "alltoallv", algorithm: "linear" },
  ],
};
