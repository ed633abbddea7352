/** The first words of a segment, by which ranks and launcher know that they mean the same thing. */

import { LAYOUT_VERSION, MAGIC, MAGIC_OFFSET, RANKS_OFFSET, VERSION_OFFSET } from "./layout.js";

/** Byte offset and value of each word of a segment's header; the magic comes last. */
export function headerWords(ranks: number): [byteOffset: number, word: number][] {
  return [
    [VERSION_OFFSET, LAYOUT_VERSION],
    [RANKS_OFFSET, ranks],
    [MAGIC_OFFSET, MAGIC],
  ];
}

/**
 * Checks that words are those of a segment of so many ranks.
 *
 * @throws {RangeError} If they are not.
 */
export function checkHeader(words: Int32Array, ranks: number): void {
  const header = headerWords(ranks);
  const expected = header.map(([, word]) => word);
  const found = header.map(([byteOffset]) => words[byteOffset / 4]);
  if (found.every((word, i) => word === expected[i])) return;
  throw new RangeError(
    `Cannot join a segment: its header [version, ranks, magic] is [${found}], ` +
      `[${expected}] was expected; launcher and ranks must use the same version of mlsl`,
  );
}
