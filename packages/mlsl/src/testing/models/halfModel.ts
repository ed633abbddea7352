/**
 * Rounding to 16-bit floats by search among all their numbers: an independent model of what
 * memory/halfFormat.ts and the kernels compute.
 */

/** Name of a 16-bit float type. */
export type HalfType = "float16" | "bfloat16";

const FRACTION_BITS = { float16: 10, bfloat16: 7 } as const;

/** The numbers of all patterns with a positive sign and no NaN, by the definition of IEEE 754. */
function makeNumbers(type: HalfType): Float64Array {
  const fractionBits = FRACTION_BITS[type];
  const bias = 2 ** (14 - fractionBits) - 1;
  const infinity = (2 * bias + 1) * 2 ** fractionBits;
  return Float64Array.from({ length: infinity + 1 }, (_, pattern) => {
    const exponent = Math.floor(pattern / 2 ** fractionBits);
    const fraction = (pattern % 2 ** fractionBits) / 2 ** fractionBits;
    return exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  });
}

const NUMBERS = { float16: makeNumbers("float16"), bfloat16: makeNumbers("bfloat16") } as const;

/** The number of a pattern. */
export function halfNumber(type: HalfType, pattern: number): number {
  const numbers = NUMBERS[type];
  const magnitude = pattern % 32768;
  if (magnitude > numbers.length - 1) return Number.NaN;
  const number = magnitude === numbers.length - 1 ? Number.POSITIVE_INFINITY : numbers[magnitude]!;
  return pattern >= 32768 ? -number : number;
}

/** The nearest of two neighbours; infinity counts as the number that would follow. */
function nearestPattern(numbers: Float64Array, magnitude: number): number {
  let low = 0;
  let high = numbers.length - 1;
  if (magnitude >= numbers[high]!) return high;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (numbers[middle]! <= magnitude) low = middle;
    else high = middle;
  }
  // Exact: the magnitude has no more than 29 bits (of a float32: 24) below the neighbours' last.
  const below = magnitude - numbers[low]!;
  const above = numbers[high]! - magnitude;
  if (below === above) return low % 2 === 0 ? low : high;
  return below < above ? low : high;
}

/** The nearest number of the type, ties to even. */
export function roundToHalf(type: HalfType, value: number): number {
  if (Number.isNaN(value)) return value;
  const pattern = nearestPattern(NUMBERS[type], Math.abs(value));
  return halfNumber(type, value < 0 || Object.is(value, -0) ? pattern + 32768 : pattern);
}
