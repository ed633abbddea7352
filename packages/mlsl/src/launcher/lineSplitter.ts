/** Cuts a stream of bytes into lines, with bounded memory. */

/**
 * Longest piece that is held back. A pipe hands over at most 64 KiB at a time, so a longer line is
 * already several reads; cutting it there bounds what each stream can hold.
 */
export const MAX_LINE_BYTES = 65536;

const NEWLINE = 0x0a;

/**
 * Takes chunks as they come and gives whole lines. It works on bytes, so a character that is split
 * over two chunks stays whole, and bytes that are no UTF-8 pass unharmed.
 */
export class LineSplitter {
  #parts: Buffer[] = [];
  #byteLength = 0;

  /**
   * Adds a chunk.
   *
   * @returns the lines that it completes, without their newline. They may be views of the chunk.
   */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      this.#hold(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end !== -1 || this.#byteLength > MAX_LINE_BYTES) this.#release(lines, end !== -1);
      if (end === -1) return lines;
      start = end + 1;
    }
  }

  /** Ends the stream: the last line, if it had no newline. */
  flush(): Buffer[] {
    const lines: Buffer[] = [];
    if (this.#byteLength > 0) this.#release(lines, true);
    return lines;
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return;
    this.#parts.push(part);
    this.#byteLength += part.length;
  }

  /** Moves what is held into lines; a rest that is no whole line yet stays held. */
  #release(lines: Buffer[], whole: boolean): void {
    let rest = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    while (rest.length > MAX_LINE_BYTES) {
      const cut = characterBoundary(rest, MAX_LINE_BYTES);
      lines.push(rest.subarray(0, cut));
      rest = rest.subarray(cut);
    }
    this.#parts = [];
    this.#byteLength = 0;
    if (whole) lines.push(rest);
    else this.#hold(rest);
  }
}

/** The last place at or before `limit` where no UTF-8 character is torn. */
function characterBoundary(bytes: Buffer, limit: number): number {
  // A character has at most 3 continuation bytes (10xxxxxx); more of them is no UTF-8.
  for (let cut = limit; cut > limit - 4; cut--) {
    if (((bytes[cut] ?? 0) & 0xc0) !== 0x80) return cut;
  }
  return limit;
}
