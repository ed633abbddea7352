/**
 * What goes wrong on the way, as a seed decides: frames are late and overtake each other, their
 * parts travel separately, links and ranks stand still for a while, connections and ranks are lost.
 */

import type { Frame, Part } from "../engine/frames.js";
import { FRAME_HEADER_BYTES, PART_HEADER_BYTES } from "../engine/frames.js";
import type { FrameSink, Network } from "./network.js";
import type { Random } from "./random.js";
import type { VirtualClock } from "./virtualClock.js";

/** How often something happens to a frame, from 0 to 1, and how long it lasts at most. */
export interface FaultSpec {
  /** A frame is late, so others overtake it. @default 0 */
  readonly delayShare?: number;
  /** @default 0 */
  readonly delayMs?: number;
  /** The parts of a frame arrive one by one, in any order. @default 0 */
  readonly splitShare?: number;
  /** Nothing leaves or enters the host of the sender for a while. @default 0 */
  readonly linkStallShare?: number;
  /** The receiver sends and computes nothing for a while. @default 0 */
  readonly rankStallShare?: number;
  /** @default 0 */
  readonly stallMs?: number;
}

/** What a simulated way is made of. */
export interface FaultyParts {
  readonly random: Random;
  readonly clock: VirtualClock;
  readonly network: Network;
  /** Takes what arrives in the end. */
  readonly deliver: FrameSink;
}

/** Stands between the network and the ranks. */
export class Faults {
  readonly #spec: FaultSpec;
  readonly #parts: FaultyParts;
  /** Pairs of ranks that cannot reach each other any more, and ranks that are dead. */
  readonly #cut = new Set<string>();
  readonly #dead = new Set<number>();
  /** By rank: when it goes on. */
  readonly #stalledMs = new Map<number, number>();
  readonly #deliver: FrameSink = (frame) => {
    if (!this.isCut(frame.from, frame.to)) this.#parts.deliver(frame);
  };

  constructor(spec: FaultSpec, parts: FaultyParts) {
    this.#spec = spec;
    this.#parts = parts;
  }

  /** Ends a rank: nothing comes from it or reaches it any more. */
  kill(rank: number): void {
    this.#dead.add(rank);
  }

  /** Ends a connection for good. */
  disconnect(a: number, b: number): void {
    this.#cut.add(`${Math.min(a, b)}-${Math.max(a, b)}`);
  }

  isDead(rank: number): boolean {
    return this.#dead.has(rank);
  }

  /** Whether nothing gets from one rank to the other. */
  isCut(a: number, b: number): boolean {
    if (this.#dead.has(a) || this.#dead.has(b)) return true;
    return this.#cut.size > 0 && this.#cut.has(`${Math.min(a, b)}-${Math.max(a, b)}`);
  }

  /** When a rank goes on; undefined if it does not stand still. */
  stalledUntilMs(rank: number): number | undefined {
    const untilMs = this.#stalledMs.get(rank);
    return untilMs !== undefined && untilMs > this.#parts.clock.nowMs ? untilMs : undefined;
  }

  /** A frame leaves. */
  leave(frame: Frame): void {
    const { random, network } = this.#parts;
    const { linkStallShare = 0, stallMs = 0 } = this.#spec;
    if (!random.chance(linkStallShare)) return;
    network.stall(network.hostOf(frame.from), random.next() * stallMs);
  }

  /** A frame has come through the network. */
  arrive(frame: Frame): void {
    const { random, clock } = this.#parts;
    const { splitShare = 0, rankStallShare = 0, stallMs = 0 } = this.#spec;
    if (random.chance(rankStallShare)) {
      this.#stalledMs.set(frame.to, clock.nowMs + random.next() * stallMs);
    }
    if (frame.parts.length === 1 || !random.chance(splitShare)) {
      this.#delay(frame);
      return;
    }
    for (const part of random.shuffle([...frame.parts])) this.#delay(alone(frame, part));
  }

  #delay(frame: Frame): void {
    const { random, clock } = this.#parts;
    const { delayShare = 0, delayMs = 0 } = this.#spec;
    if (random.chance(delayShare)) clock.after(random.next() * delayMs, this.#deliver, frame);
    else this.#deliver(frame);
  }
}

/** One part of a frame as a frame. */
function alone({ from, to }: Frame, part: Part): Frame {
  const dataBytes = part.kind === "data" ? part.byteLength : 0;
  const byteLength = FRAME_HEADER_BYTES + PART_HEADER_BYTES + dataBytes;
  return { from, to, parts: [part], byteLength, dataBytes };
}
