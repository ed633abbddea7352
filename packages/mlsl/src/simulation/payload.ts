/**
 * The bytes of simulated requests. When they move is chosen at random, within what the rules of
 * schedules and engines allow. A chunk is read at any time from when it leaves until it has arrived,
 * as by a transport that sends, or only when the receiver uses it, as by one that fetches; its
 * sender then learns of it later. A kernel works on its memory at any time from its beginning to its
 * end. Whatever is overwritten too early, or used before it is there, then shows in the results.
 */

import type { DataPart, Frame } from "../engine/frames.js";
import type { Kernel } from "../engine/kernelQueue.js";
import type { Random } from "./random.js";
import type { VirtualClock } from "./virtualClock.js";

/** The memory of requests. */
export interface Payload {
  /** Takes the bytes of a chunk from the memory of its sender, and keeps them for a kernel. */
  read(part: DataPart): void;
  /** Does the work of a kernel, with what was read of its chunk. */
  compute(kernel: Kernel): void;
}

/** Moments at which a chunk may be read: it leaves, is on its way, arrives, is used. */
const MOMENTS = ["leaves", "travels", "arrives", "used"] as const;

/** Decides when a payload's bytes are read and written. */
export class PayloadTimes {
  readonly #payload: Payload;
  readonly #clock: VirtualClock;
  readonly #random: Random;
  readonly #latencyMs: number;
  /** Chunks that have left and have not been read; those are fetched that have somebody to tell. */
  readonly #unread = new Set<DataPart>();
  readonly #fetched = new Map<DataPart, (() => void) | undefined>();
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

  /** Chunks that have left and not been read. */
  get unreadCount(): number {
    return this.#unread.size + this.#fetched.size;
  }

  /** A frame leaves. */
  leave(frame: Frame): void {
    for (const part of frame.parts) {
      if (part.kind !== "data") continue;
      const moment = this.#random.pick(MOMENTS);
      if (moment === "used") this.#fetched.set(part, undefined);
      else this.#unread.add(part);
      if (moment === "leaves") this.#read(part);
      if (moment === "travels") {
        this.#clock.after(this.#random.next() * this.#latencyMs, this.#read, part);
      }
    }
  }

  /** A frame arrives: what the transport sends has been read now. */
  arrive(frame: Frame): void {
    for (const part of frame.parts) if (part.kind === "data") this.#read(part);
  }

  /** Says when a chunk that has arrived has been read: now, or when it is used. */
  whenRead(part: DataPart, tell: () => void): void {
    if (this.#fetched.has(part)) this.#fetched.set(part, tell);
    else tell();
  }

  /** A kernel begins; it works now or at its end. */
  begin(kernel: Kernel): void {
    if (this.#random.chance(0.5)) this.#compute(kernel);
    else this.#unworked.add(kernel);
  }

  end(kernel: Kernel): void {
    if (this.#unworked.delete(kernel)) this.#compute(kernel);
  }

  #compute(kernel: Kernel): void {
    const { part } = kernel;
    if (part === undefined || !this.#fetched.has(part)) {
      this.#payload.compute(kernel);
      return;
    }
    this.#payload.read(part);
    this.#payload.compute(kernel);
    const tell = this.#fetched.get(part);
    this.#fetched.delete(part);
    if (tell !== undefined) this.#clock.after(this.#latencyMs, tell);
  }
}
