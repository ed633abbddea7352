/** What random programs combine elements with: operators that show what was combined, and how. */

/** An operator on numbers. */
export interface ProgramOperator {
  readonly name: OperatorName;
  /** Whether what it yields depends on the order of its operands. */
  readonly needsOrder: boolean;
  /** Whether it is associative, so that a plain loop over all ranks yields the same. */
  readonly isExact: boolean;
  /** An element of an input, from a whole number in [0, 2³²). */
  element(hash: number): number;
  /** left ∘ right */
  combine(left: number, right: number): number;
}

/**
 * "sum": whole numbers added; "affine": maps x → a·x + b modulo a prime, one after the other, which
 * do not commute; "grouped": neither commutes nor associates, so that every other way to put
 * brackets yields other bits.
 */
export type OperatorName = "sum" | "affine" | "grouped";

/** Maps are packed as a·PRIME + b. */
const PRIME = 251;
/** Whole numbers of sums are below this: sums of all ranks are exact. */
const SUM_LIMIT = 4096;

/** All operators by name. */
export const PROGRAM_OPERATORS: { readonly [K in OperatorName]: ProgramOperator } = {
  sum: {
    name: "sum",
    needsOrder: false,
    isExact: true,
    element: (hash) => hash % SUM_LIMIT,
    combine: (left, right) => left + right,
  },
  affine: {
    name: "affine",
    needsOrder: true,
    isExact: true,
    element: (hash) => (1 + (hash % (PRIME - 1))) * PRIME + (Math.floor(hash / PRIME) % PRIME),
    combine: (left, right) => {
      const [a, c] = [Math.floor(left / PRIME), Math.floor(right / PRIME)];
      const [b, d] = [left % PRIME, right % PRIME];
      return ((a * c) % PRIME) * PRIME + ((a * d + b) % PRIME);
    },
  },
  grouped: {
    name: "grouped",
    needsOrder: false,
    isExact: false,
    element: (hash) => hash / 4294967296,
    combine: (left, right) => 0.75 * left + right,
  },
};

/** Mixes numbers to a whole number in [0, 2³²) in which every bit of them shows. */
export function hashOf(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash = Math.imul(hash ^ number, 0x85ebca6b);
    hash ^= hash >>> 13;
    hash = Math.imul(hash, 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return hash >>> 0;
}
