/**
 * The two 16-bit floats as numbers of JavaScript and back. A format is a sign, an exponent and a
 * fraction; its numbers with one exponent are whole multiples, 0 to 2·2^fractionBits, of one step, and
 * the bit patterns of successive numbers are successive, across exponents too. So
 *
 *     pattern = (exponent − minExponent) · 2^fractionBits + magnitude / step
 *
 * holds for normal and subnormal numbers and, when the division rounds up, carries into the next
 * exponent or infinity by itself. Source: IEEE 754-2019, section 3.4.
 */

/** How the 16 bits of a format are used. */
export interface HalfFormat {
  readonly fractionBits: number;
  /** Exponent of the smallest normal number. */
  readonly minExponent: number;
  /** The step of the numbers with each exponent, from `minExponent` to the greatest. */
  readonly steps: Float64Array;
  /** The pattern of infinity, which is beyond all finite numbers. */
  readonly infinity: number;
  /** The one pattern that NaN is written as. */
  readonly nan: number;
}

function makeFormat(fractionBits: number): HalfFormat {
  const exponentBits = 15 - fractionBits;
  const maxExponent = 2 ** (exponentBits - 1) - 1;
  const minExponent = 1 - maxExponent;
  const infinity = (2 ** exponentBits - 1) * 2 ** fractionBits;
  return {
    fractionBits,
    minExponent,
    steps: Float64Array.from({ length: maxExponent - minExponent + 1 }, (_, i) => {
      return 2 ** (minExponent + i - fractionBits);
    }),
    infinity,
    nan: infinity + 2 ** (fractionBits - 1),
  };
}

/** IEEE 754 binary16: 1 sign, 5 exponent, 10 fraction. */
export const FLOAT16: HalfFormat = makeFormat(10);
/** The upper half of a float32: 1 sign, 8 exponent, 7 fraction. */
export const BFLOAT16: HalfFormat = makeFormat(7);

/** 2⁵²: at this size the last place of a double is 1, so that adding it rounds to whole numbers. */
const ROUNDING = 4503599627370496;
const SIGN = 0x8000;

const scratch = new Float64Array(1);
const scratchWords = new Uint32Array(scratch.buffer);

/** Exponent of a positive number: floor(log2), for subnormal doubles less than any of a format. */
function exponentOf(magnitude: number): number {
  scratch[0] = magnitude;
  return (scratchWords[1]! >>> 20) - 1023;
}

/** The pattern nearest to a number, ties to even; beyond the greatest finite number infinity. */
export function encodeHalf(format: HalfFormat, value: number): number {
  if (Number.isNaN(value)) return format.nan;
  const sign = value < 0 || Object.is(value, -0) ? SIGN : 0;
  const magnitude = Math.abs(value);
  const row = Math.max(exponentOf(magnitude) - format.minExponent, 0);
  if (row >= format.steps.length) return sign + format.infinity;
  // Exact: a step is a power of two. Then the addition rounds, ties to even.
  const steps = magnitude / format.steps[row]! + ROUNDING - ROUNDING;
  return sign + row * 2 ** format.fractionBits + steps;
}

/** The number of a pattern; every one is exact. */
export function decodeHalf(format: HalfFormat, pattern: number): number {
  const sign = pattern >= SIGN ? -1 : 1;
  const magnitude = pattern % SIGN;
  if (magnitude > format.infinity) return Number.NaN;
  if (magnitude === format.infinity) return sign * Number.POSITIVE_INFINITY;
  const row = Math.max((magnitude >> format.fractionBits) - 1, 0);
  return sign * (magnitude - row * 2 ** format.fractionBits) * format.steps[row]!;
}
