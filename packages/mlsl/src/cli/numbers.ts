/** Numbers on the command line. */

import { InvalidArgumentError } from "commander";

/**
 * A number of progress workers, or "auto".
 *
 * @throws {InvalidArgumentError} If the text is neither.
 */
export function parseWorkers(text: string): number | "auto" {
  if (text === "auto") return text;
  if (!/^\d{1,4}$/.test(text)) {
    throw new InvalidArgumentError('Expected a whole number from 0, or "auto".');
  }
  return Number(text);
}

/**
 * A whole number of at least 1.
 *
 * @throws {InvalidArgumentError} If the text is not one.
 */
export function parseCount(text: string): number {
  if (!/^\d+$/.test(text) || Number(text) < 1) {
    throw new InvalidArgumentError("Expected a whole number of at least 1.");
  }
  return Number(text);
}
