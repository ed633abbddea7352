/** Values of the options of `mlsl bench`. */

import { InvalidArgumentError } from "commander";
import { parseCount } from "./numbers.js";

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1048576, G: 1073741824 };

/** Largest size: what fits a segment. */
const MAX_SIZE = 4294967296;

/** Most sizes of a run: a step of 2 from 1 byte to 4 GiB takes 33. */
const MAX_SIZES = 64;

/**
 * A number of bytes: 4, 64K, 1M, 2G; K is 1024.
 *
 * @throws {InvalidArgumentError} If the text is not one.
 */
export function parseSize(text: string): number {
  const match = /^(\d+)([KMG]?)$/i.exec(text);
  const size = match === null ? 0 : Number(match[1]) * UNITS[match[2]!.toUpperCase()]!;
  if (size < 1 || size > MAX_SIZE) {
    throw new InvalidArgumentError(`Expected bytes from 1 to 4G like 4, 64K or 1M, got "${text}".`);
  }
  return size;
}

/**
 * Several sizes, in ascending order: 4,1K,1M.
 *
 * @throws {InvalidArgumentError} If one is none, or there are too many.
 */
export function parseSizes(text: string): number[] {
  const sizes = [...new Set(text.split(",").map(parseSize))].sort((a, b) => a - b);
  if (sizes.length > MAX_SIZES) {
    throw new InvalidArgumentError(`Expected at most ${MAX_SIZES} sizes, got ${sizes.length}.`);
  }
  return sizes;
}

/**
 * Several numbers of ranks: 2,4.
 *
 * @throws {InvalidArgumentError} If one is no whole number of at least 1.
 */
export function parseRankCounts(text: string): number[] {
  return [...new Set(text.split(",").map(parseCount))];
}

/**
 * The factor from one size to the next.
 *
 * @throws {InvalidArgumentError} If it would not lead on.
 */
export function parseStep(text: string): number {
  const step = Number(text);
  if (text.trim() !== "" && step > 1 && Number.isFinite(step)) return step;
  throw new InvalidArgumentError(`Expected a factor above 1 like 2 or 4, got "${text}".`);
}

/**
 * A parser of names that must be known.
 *
 * @returns a function that throws an InvalidArgumentError that lists the names
 */
export function namesParser<T extends string>(known: readonly T[]): (text: string) => T[] {
  return (text) => {
    const names = text.split(",").map((name) => {
      const found = known.find((one) => one === name);
      if (found !== undefined) return found;
      throw new InvalidArgumentError(`Expected some of ${known.join(", ")}, got "${name}".`);
    });
    return [...new Set(names)];
  };
}

/**
 * Names of algorithms, or "all"; which of them exist depends on the operations.
 *
 * @throws {InvalidArgumentError} If a name is empty or "all" is not alone.
 */
export function parseAlgorithms(text: string): string[] | "all" {
  if (text === "all") return "all";
  const names = [...new Set(text.split(","))];
  if (names.includes("") || names.includes("all")) {
    throw new InvalidArgumentError(`Expected all, or names like direct,ring, got "${text}".`);
  }
  return names;
}

/** Sizes from `min` to `max`, each `step` times the one before. */
export function sizesBetween(min: number, max: number, step: number): number[] {
  const sizes: number[] = [];
  for (let size = min; size <= max && sizes.length < MAX_SIZES; size *= step) {
    sizes.push(Math.floor(size));
  }
  return sizes;
}
