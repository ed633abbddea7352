/**
 * The bytes of simulated requests. When they move is chosen at random, within what the rules of
 * schedules and engines allow: a chunk is read at any time from when it leaves until it has arrived,
 * and a kernel works on its memory at any time from its beginning to its end. Whatever is
 * overwritten too early, or used before it is there, then shows in the results.
 */

import type { Kernel } from "../engine/engine.js";
import type { DataPart, Frame } from "../engine/frames.js";
import type { Random } from "./random.js";
import type { VirtualClock } from "./virtualClock.js";

/** The memory of requests. */
export interface Payload {
  /** Takes the bytes of a chunk from the memory of its sender, and keeps them for a kernel. */
  read(part: DataPart): void;
  /** Does the work of a kernel, with what was read of its chunk. */
  compute(kernel: Kernel): void;
}

/** Decides when a payload's bytes are read and written. */
export class PayloadTimes {
  readonly #payload: Payload;
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #latencyMs: number;
  /** Chunks that have left and have not been read. */
  readonly #unread = new Set<DataPart>();
  readonly #unworked = new Set<Kernel>();
  readonly #read = (part: DataPart): void => {
    if (this.#unread.delete(part)) this.#payload.read(part);
  };

  /** @param latencyMs about how long a chunk is on its way */
  constructor(payload: Payload, clock: VirtualClock, random: Random, latencyMs: number) {
    this.#payload = payload;
    this.#clock = clock;
    this.#random = random;
    this.#latencyMs = latencyMs;
  }

  /** Chunks that are on their way. */
  get unreadCount(): number {
    return this.#unread.size;
  }

  /** A frame leaves: its chunks are read now, on the way, or when they arrive. */
  leave(frame: Frame): void {
    for (const part of frame.parts) {
      if (part.kind !== "data") continue;
      this.#unread.add(part);
      const moment = this.#random.below(3);
      if (moment === 0) this.#read(part);
      if (moment === 1) this.#clock.after(this.#random.next() * this.#latencyMs, this.#read, part);
    }
  }

  /** A frame arrives: what has not been read has to be now. */
  arrive(frame: Frame): void {
    for (const part of frame.parts) if (part.kind === "data") this.#read(part);
  }

  /** A kernel begins; it works now or at its end. */
  begin(kernel: Kernel): void {
    if (this.#random.chance(0.5)) this.#payload.compute(kernel);
    else this.#unworked.add(kernel);
  }

  end(kernel: Kernel): void {
    if (this.#unworked.delete(kernel)) this.#payload.compute(kernel);
  }
}
