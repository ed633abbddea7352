/** A stream to which many sources write whole lines, each held back while it is full. */

import type { Readable, Writable } from "node:stream";

/** Shares a destination among sources. */
export class Sink {
  readonly #destination: Writable;
  readonly #onBroken: () => void;
  readonly #waiting = new Set<Readable>();
  #broken = false;

  /**
   * @param destination stays open; the caller owns it
   * @param onBroken called once when it can take no more, for example because its reader has gone
   */
  constructor(destination: Writable, onBroken: () => void) {
    this.#destination = destination;
    this.#onBroken = onBroken;
    destination.on("drain", this.#resume);
    destination.on("error", this.#break);
  }

  /** Writes at once; a source is paused until the destination has room again. */
  write(data: Uint8Array | string, source?: Readable): void {
    if (this.#broken) return; // Nobody reads it; sources must go on, or their ranks would hang.
    if (this.#destination.write(data) || source === undefined) return;
    source.pause();
    this.#waiting.add(source);
  }

  /** Whether a source is held back. */
  holds(source: Readable): boolean {
    return this.#waiting.has(source);
  }

  /** Forgets a source that is gone. */
  forget(source: Readable): void {
    this.#waiting.delete(source);
  }

  /** Lets go of the destination. */
  close(): void {
    this.#destination.off("drain", this.#resume);
    this.#destination.off("error", this.#break);
  }

  readonly #resume = (): void => {
    for (const source of this.#waiting) source.resume();
    this.#waiting.clear();
  };

  readonly #break = (): void => {
    if (this.#broken) return;
    this.#broken = true;
    this.#resume();
    this.#onBroken();
  };
}
