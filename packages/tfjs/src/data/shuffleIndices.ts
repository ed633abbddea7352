/** Permutations that are the same on every rank and every machine. */

const MAX_UINT32 = 2 ** 32;

/** 32-bit golden ratio: the step of the Weyl sequence behind the seeding. */
const GOLDEN = 0x9e3779b9;

/**
 * The numbers 0 … count−1 in an order that depends on count and seed alone. All orders are equally
 * likely as far as 2³² seeds can tell.
 *
 * Fisher–Yates shuffle in the form of Durstenfeld (CACM 7 (1964), Algorithm 235), on numbers from
 * xoshiro128** of Blackman and Vigna (ACM TOMS 47 (2021)), whose state is filled from the seed by a
 * Weyl sequence and the finalizer of MurmurHash3, as splitmix does.
 *
 * @param count 0 … 2^31−1
 * @param seed integer, 0 … 2^32−1
 * @throws {RangeError} If one of them is out of range.
 */
export function shuffleIndices(count: number, seed: number): Int32Array {
  check("count", count, 2 ** 31 - 1);
  check("seed", seed, MAX_UINT32 - 1);
  const next = xoshiro128(seed);
  const indices = Int32Array.from({ length: count }, (_, i) => i);
  for (let last = count - 1; last > 0; last--) {
    const other = below(last + 1, next);
    const held = indices[last] as number;
    indices[last] = indices[other] as number;
    indices[other] = held;
  }
  return indices;
}

function check(name: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 0 && value <= max) return;
  throw new RangeError(
    `Cannot shuffle: expected ${name} to be an integer from 0 to ${max}, got ${value}`,
  );
}

/** A number below the bound, each equally likely: draws from an incomplete last round are void. */
function below(bound: number, next: () => number): number {
  const limit = MAX_UINT32 - (MAX_UINT32 % bound);
  for (;;) {
    const drawn = next();
    if (drawn < limit) return drawn % bound;
  }
}

/** A source of unsigned 32-bit integers. */
function xoshiro128(seed: number): () => number {
  const state = Uint32Array.from({ length: 4 }, (_, i) => mix(seed + Math.imul(GOLDEN, i + 1)));
  return () => {
    const [a, b, c, d] = state as unknown as [number, number, number, number];
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const e = c ^ a;
    const f = d ^ b;
    state[1] = b ^ e;
    state[0] = a ^ f;
    state[2] = e ^ (b << 9);
    state[3] = rotate(f, 11);
    return result;
  };
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** The finalizer of MurmurHash3: every bit of the input changes half of those of the output. */
function mix(word: number): number {
  let mixed = word | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
