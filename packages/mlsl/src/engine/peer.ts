/** What waits to go to one peer. */

import type { Part } from "./frames.js";
import type { EngineRequest } from "./request.js";
import { UrgentQueue } from "./urgentQueue.js";

/** A peer's queues and what is on its way to it. */
export class Peer {
  /** Rank of the job. */
  readonly rank: number;
  /** Few bytes that go before all data. */
  readonly words: Part[] = [];
  /** Sends that may go. */
  readonly sends: UrgentQueue<EngineRequest> = new UrgentQueue();
  /** Bytes of data that have left this rank and have not arrived. */
  inFlightBytes = 0;

  constructor(rank: number) {
    this.rank = rank;
  }

  /** Whether nothing waits. */
  get isIdle(): boolean {
    return this.words.length === 0 && this.sends.isEmpty;
  }

  /**
   * Whether what is due for this peer goes before what is due for another; both have something. Of
   * one request's sends, the one that its schedule has first: the peer of an early step waits for it
   * with all its later ones. In any other order, ranks that are not quite in step drift further
   * apart, and meet at receivers.
   */
  isBefore(other: Peer, oldest: boolean): boolean {
    const [a, b] = [this.sends, other.sends];
    const [x, y] = oldest ? [a.oldest!, b.oldest!] : [a.first!, b.first!];
    if (x === y) return a.peek(x) < b.peek(x);
    if (oldest) return x.order < y.order;
    return x.urgency < y.urgency || (x.urgency === y.urgency && x.order < y.order);
  }
}
