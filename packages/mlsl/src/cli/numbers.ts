/** Numbers on the command line. */

import { InvalidArgumentError } from "commander";

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
