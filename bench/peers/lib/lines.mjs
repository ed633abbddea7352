// The lines of JSON that every measured program prints, one for each operation and size.

const TEXTS = ["peer", "op"];
const NUMBERS = [
  "bytes",
  "ranks",
  "iterations",
  "min_us",
  "median_us",
  "p99_us",
  "algbw_GBps",
  "c2c_ns",
];

/**
 * Reads a line of output.
 *
 * @returns the figures, or undefined for other text: launchers print remarks between them
 * @throws {Error} If it is JSON without the expected figures: a program of another version.
 */
export function parseLine(text) {
  if (!text.startsWith("{")) return undefined;
  const line = JSON.parse(text);
  for (const [names, kind] of [
    [TEXTS, "string"],
    [NUMBERS, "number"],
  ]) {
    for (const name of names) {
      if (typeof line[name] === kind) continue;
      throw new Error(`Cannot read a result: a ${kind} "${name}" was expected in ${text}`);
    }
  }
  return line;
}
