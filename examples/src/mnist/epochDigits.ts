/** What is seen in an epoch: all digits in a new order, each moved a little. */

import { shuffleIndices } from "@mlsl/tfjs";
import { type Digits, PIXELS, pickDigits, SIDE } from "./digits.js";

/**
 * Pixels by which a digit is moved at most in each direction. The digits are centred by their mass
 * and have a margin of 4 pixels, so little is cut off, and a net learns more from few digits when
 * it never sees the same picture twice.
 */
const MAX_MOVE = 2;
/** Moves along one axis: −2 … 2. */
const MOVES: number = 2 * MAX_MOVE + 1;
/** Epochs that have numbers of their own for each seed; more than anybody trains. */
const MAX_EPOCHS = 2 ** 12;

/**
 * The digits of an epoch: depends on seed and epoch alone, so all ranks see the same.
 *
 * @param epoch 0 … 4095
 * @param seed integer, 0 … 2^19−1
 */
export function epochDigits(
  digits: Digits,
  { epoch, seed }: { epoch: number; seed: number },
): Digits {
  const number = seed * MAX_EPOCHS + epoch;
  const shuffled = pickDigits(digits, shuffleIndices(digits.count, number));
  // Another permutation of the same numbers deals the moves: each is used equally often.
  const draws = shuffleIndices(digits.count, number + 2 ** 31);
  const pixels = new Uint8Array(digits.count * PIXELS);
  for (const [index, draw] of draws.entries()) {
    const range = [index * PIXELS, (index + 1) * PIXELS] as const;
    moveDigit(shuffled.pixels.subarray(...range), pixels.subarray(...range), {
      right: (draw % MOVES) - MAX_MOVE,
      down: (Math.floor(draw / MOVES) % MOVES) - MAX_MOVE,
    });
  }
  return { ...shuffled, pixels };
}

/** Copies a digit moved by whole pixels onto an empty one; what leaves the picture is lost. */
export function moveDigit(
  from: Uint8Array,
  to: Uint8Array,
  { right, down }: { right: number; down: number },
): void {
  const width = SIDE - Math.abs(right);
  const [left, column] = [Math.max(0, -right), Math.max(0, right)];
  for (let row = Math.max(0, down); row < SIDE + Math.min(0, down); row++) {
    const start = (row - down) * SIDE + left;
    to.set(from.subarray(start, start + width), row * SIDE + column);
  }
}
