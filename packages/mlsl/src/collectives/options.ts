/** What operations can be told beside their buffers. */

import type { ElementArray } from "../memory/dataTypes.js";
import type { UserOperator } from "./operations/operators.js";

/**
 * Built-in ways to combine the contributions of the ranks, element by element.
 *
 * - `sum`, `product`: integers wrap; 16-bit floats are summed in float32 and rounded once.
 * - `min`, `max`: NaN wins, −0 is below +0.
 * - `average`: the sum divided by the number of ranks; of integers only with a `rounding`.
 * - `and`, `or`, `xor`: bit by bit, integers only.
 */
export type ReduceOp = "sum" | "average" | "min" | "max" | "product" | "and" | "or" | "xor";

/** Options that every operation takes. */
export interface WaitOptions {
  /**
   * Milliseconds that a wait may last before it fails with a `TimeoutError`.
   *
   * @default the group's, see `Group.timeoutMs`
   */
  readonly timeoutMs?: number;
}

/** Options of collectives about the order in which progress workers carry them out. */
export interface OrderOptions extends WaitOptions {
  /**
   * How urgent it is: smaller numbers come first where requests compete, at every chunk. Without
   * progress workers requests are carried out in the order of their starts, and it is not looked at.
   *
   * @default the newest first, before all that have a number
   */
  readonly priority?: number;
  /**
   * By which ranks find each other's requests, 1 to 64 characters: with progress workers, ranks may
   * start requests of different names in different orders; those of one name meet in the order of
   * their starts. Without, a different order is a `MismatchError`.
   *
   * @default none: requests meet in the order of their starts
   */
  readonly name?: string;
}

/** Options of operations for which there are several algorithms. */
export interface AlgorithmOptions extends OrderOptions {
  /**
   * How the data moves: `"direct"`, every rank reads where the data lies, or the name of a schedule
   * of messages, see docs/algorithms.md. All ranks must name the same one.
   *
   * @default by the group's table of choices, which says "direct" unless it was tuned
   */
  readonly algorithm?: string;
}

/** Options of reductions. */
export interface ReduceOptions extends AlgorithmOptions {
  /** @default "sum" */
  readonly op?: ReduceOp | UserOperator;
  /**
   * Each contribution is multiplied by this first. Floats with `sum` or `average` only; the same
   * on all ranks.
   *
   * @default 1
   */
  readonly preScale?: number;
  /**
   * The result is multiplied by this. Floats with `sum` or `average` only; the same on all ranks.
   *
   * @default 1
   */
  readonly postScale?: number;
  /**
   * How an average of integers is rounded: down, towards zero, or to the nearest, ties to even. The
   * average is exact before it is rounded. Without it an average of integers is an error.
   */
  readonly rounding?: "floor" | "truncate" | "nearest";
  /**
   * What a sum of integers that does not fit becomes: its lower bits, or the nearest value that
   * fits.
   *
   * @default "wrap"
   */
  readonly overflow?: "wrap" | "saturate";
  /**
   * Lets `recv` have a wider type of the same family than `send` (int8 into int32, uint8 into
   * uint32, float16 into float32, …): contributions are widened before they are combined.
   *
   * @default false
   */
  readonly widen?: boolean;
}

/** `recv` of a reduction: of the type of `send`, unless it is to be wider. */
export type ReducedInto<A, O extends ReduceOptions> = O["widen"] extends true ? ElementArray : A;

/** Options of operations with a root. */
export interface RootOptions extends AlgorithmOptions {
  /**
   * The rank that gives (broadcast, scatter) or gets (gather).
   *
   * @default 0
   */
  readonly root?: number;
}

/** Options of a reduction to one rank. */
export interface ReduceRootOptions extends ReduceOptions {
  /**
   * Rank that gets the result.
   *
   * @default 0
   */
  readonly root?: number;
}

/** How a buffer is divided among the ranks, in elements. */
export interface BlockOptions extends OrderOptions {
  /** Elements of each rank's block, in the order of the ranks. */
  readonly counts: readonly number[];
  /**
   * Where each block begins in the buffer.
   *
   * @default one after the other
   */
  readonly offsets?: readonly number[];
}

/** The same at the root; other ranks need not know. */
export interface RootBlockOptions extends OrderOptions {
  /** Elements of each rank's block; the root must give it. */
  readonly counts?: readonly number[];
  /**
   * Where each block begins in the root's buffer.
   *
   * @default one after the other
   */
  readonly offsets?: readonly number[];
  /**
   * The rank that gives (scatterv) or gets (gatherv).
   *
   * @default 0
   */
  readonly root?: number;
}

/** Options of a reduction whose result is divided by counts. All ranks give the same counts. */
export interface ReduceBlockOptions extends Omit<ReduceOptions, "algorithm"> {
  /** Elements of the result that each rank gets, in the order of the ranks. */
  readonly counts: readonly number[];
}

/** Who sends how much to whom. */
export interface ExchangeOptions extends OrderOptions {
  /** Elements for each rank. */
  readonly sendCounts: readonly number[];
  /** Elements from each rank. */
  readonly recvCounts: readonly number[];
  /**
   * Where the block for each rank begins in `send`.
   *
   * @default one after the other
   */
  readonly sendOffsets?: readonly number[];
  /**
   * Where the block from each rank goes in `recv`.
   *
   * @default one after the other
   */
  readonly recvOffsets?: readonly number[];
}

/** Options of a send. */
export interface SendOptions extends WaitOptions {
  /** Rank that the message is for. */
  readonly to: number;
  /**
   * Number by which the receiver tells messages apart, 0 … 2³¹−1.
   *
   * @default 0
   */
  readonly tag?: number;
}

/** Options of a receive. */
export interface RecvOptions extends WaitOptions {
  /** Rank that the message comes from. */
  readonly from: number;
  /**
   * The tag that it was sent with.
   *
   * @default 0
   */
  readonly tag?: number;
}

/** Options of a send and a receive at once. */
export interface SendrecvOptions extends WaitOptions {
  /** Rank that `send` is for. */
  readonly to: number;
  /** Rank that `recv` comes from. */
  readonly from: number;
  /** @default 0 */
  readonly sendTag?: number;
  /** @default 0 */
  readonly recvTag?: number;
}
