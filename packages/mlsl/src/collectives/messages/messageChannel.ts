/** All messages between a rank of a group and the others. */

import { RankLostError, TimeoutError } from "../../errors/communicationErrors.js";
import { LINE_BYTES } from "../../kernels/exchangeLayout.js";
import type { ExecutionContext } from "../execution/meeting.js";
import { type Channel, type Counters, type Entry, isSettled } from "../requests/channel.js";
import { lostRanks } from "../requests/lostRanks.js";
import { outboxBytes } from "./envelope.js";
import { Inbox } from "./inbox.js";
import { type Message, messageText } from "./message.js";
import { Outbox } from "./outbox.js";

/** Sends and receives of a group on one rank. */
export class MessageChannel implements Channel {
  readonly counters: Counters;
  readonly #context: ExecutionContext;
  readonly #outboxes = new Map<number, Outbox>();
  readonly #inboxes = new Map<number, Inbox>();
  /** Messages that have not settled. */
  #open: Message[] = [];
  /** Address of this rank's outbox; 0 as long as it has sent nothing. */
  #outbox = 0;

  constructor(context: ExecutionContext, counters: Counters) {
    this.#context = context;
    this.counters = counters;
  }

  get idle(): boolean {
    return this.#open.length === 0;
  }

  /** @throws {SegmentFullError} If there is no memory to send it; nothing has happened then. */
  start(message: Message): void {
    if (message.side === "send") this.#outboxTo(message.peer).send(message);
    else this.#inboxFrom(message.peer).post(message);
    this.#open.push(message);
    this.#settle();
    this.#tell(message.peer);
  }

  #outboxTo(peer: number): Outbox {
    const { segment, memory, rank, ranks } = this.#context;
    if (this.#outbox === 0) {
      this.#outbox = segment.allocateBytes(outboxBytes(ranks));
      const first = this.#outbox / 4;
      segment.words.fill(0, first, first + outboxBytes(ranks) / 4);
      // Safe: the outbox was zeroed above; readers find it by this word only.
      Atomics.store(
        segment.words,
        (memory.control.mailboxes + rank * LINE_BYTES) / 4,
        this.#outbox,
      );
    }
    let outbox = this.#outboxes.get(peer);
    if (outbox === undefined) {
      outbox = new Outbox(this.#context, this.#outbox, peer);
      this.#outboxes.set(peer, outbox);
    }
    return outbox;
  }

  #inboxFrom(peer: number): Inbox {
    let inbox = this.#inboxes.get(peer);
    if (inbox === undefined) {
      inbox = new Inbox(this.#context, peer);
      this.#inboxes.set(peer, inbox);
    }
    return inbox;
  }

  #tell(peer: number): void {
    this.#context.wake([this.#context.members[peer]!]);
  }

  progress(spins: number): void {
    for (let look = 0; this.#open.length > 0; look++) {
      for (const [peer, outbox] of this.#outboxes) if (outbox.progress()) this.#tell(peer);
      for (const [peer, inbox] of this.#inboxes) if (inbox.progress()) this.#tell(peer);
      if (this.#settle() || look >= spins / LOOKS_PER_SPIN) return;
    }
  }

  /** Counts and drops what has settled. @returns whether anything has */
  #settle(): boolean {
    const open = this.#open.filter((message) => !isSettled(message));
    const settled = this.#open.length - open.length;
    if (settled === 0) return false;
    for (const message of this.#open) {
      if (message.state !== "done") continue;
      this.counters.operations++;
      this.counters.bytes += message.buffer.byteLength;
    }
    this.#open = open;
    return true;
  }

  expire(entry: Entry, waitedMs: number): void {
    for (const message of this.#open) {
      if (message === entry || (entry as Partial<PairLike>).parts?.includes(message) === true) {
        this.#expire(message, waitedMs);
      }
    }
    this.#settle();
  }

  #expire(message: Message, waitedMs: number): void {
    const lost = lostRanks(this.#context).filter(({ rank }) => rank === message.peer);
    const timedOut = waitedMs > message.timeoutMs;
    if (lost.length === 0 && !timedOut) return;
    // It may have come and ended since the last look.
    this.progress(0);
    if (isSettled(message)) return;
    const box =
      message.side === "send" ? this.#outboxTo(message.peer) : this.#inboxFrom(message.peer);
    // What the peer is copying just now completes, unless it has ended.
    if (!box.withdraw(message) && lost.length === 0) return;
    if (message.side === "recv") this.#inboxFrom(message.peer).abandon(message);
    const at = { ...this.#context.place, operation: messageText(message), sequence: 0 };
    message.failure =
      lost.length > 0
        ? new RankLostError(at, lost)
        : new TimeoutError(at, message.timeoutMs, [message.peer]);
    message.state = "failed";
  }

  /** Gives all memory back; nothing is pending. */
  free(): void {
    for (const outbox of this.#outboxes.values()) outbox.free();
    if (this.#outbox !== 0) this.#context.segment.freeBytes(this.#outbox);
    this.#outbox = 0;
  }
}

interface PairLike {
  readonly parts: readonly Message[];
}

/** A look at messages takes about as long as so many looks at a line. */
const LOOKS_PER_SPIN = 50;
