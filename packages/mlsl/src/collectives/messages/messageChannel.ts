/** All messages between a rank of a group and the others. */

import { type LostRank, RankLostError, TimeoutError } from "../../errors/communicationErrors.js";
import { LINE_BYTES } from "../../kernels/exchangeLayout.js";
import type { ExecutionContext } from "../execution/meeting.js";
import { type Channel, type Counters, type Entry, isSettled } from "../requests/channel.js";
import { outboxBytes } from "./envelope.js";
import { Inbox } from "./inbox.js";
import { type Message, placeOfMessage } from "./message.js";
import { Outbox } from "./outbox.js";
import { messagesOf } from "./pair.js";

/** A look at messages takes about as long as so many looks at a line. */
const LOOKS_PER_SPIN = 50;

/** Sends and receives of a group on one rank. */
export class MessageChannel implements Channel {
  readonly counters: Counters;
  readonly #context: ExecutionContext;
  readonly #outboxes = new Map<number, Outbox>();
  readonly #inboxes = new Map<number, Inbox>();
  readonly #reclaim: () => void;
  /** Messages that have not settled. */
  readonly #open = new Set<Message>();
  #started = 0;
  /** Address of this rank's outbox; 0 as long as it has sent nothing. */
  #outbox = 0;

  constructor(context: ExecutionContext, counters: Counters) {
    this.#context = context;
    this.counters = counters;
    this.#reclaim = () => {
      for (const outbox of this.#outboxes.values()) outbox.reclaim();
    };
  }

  get idle(): boolean {
    return this.#open.size === 0;
  }

  /** @throws {SegmentFullError} If there is no memory to send it; nothing has happened then. */
  start(message: Message): void {
    const { side, peer } = message;
    message.sequence = this.#started + 1;
    const lost = side === "send" ? this.#lost(peer) : undefined;
    if (lost !== undefined) {
      // It would be copied and thought sent. What the rank has sent before can still be received.
      this.#started++;
      this.#fail(message, lost);
      return;
    }
    let othersMoved = false;
    if (side === "send") this.#outboxTo(peer).send(message);
    else othersMoved = this.#inboxFrom(peer).post(message);
    this.#started++;
    this.#open.add(message);
    this.#tell(peer);
    if (othersMoved) this.#settleAll();
    else if (isSettled(message)) this.#settle(message);
  }

  #outboxTo(peer: number): Outbox {
    if (this.#outbox === 0) this.#openOutbox();
    let outbox = this.#outboxes.get(peer);
    if (outbox === undefined) {
      outbox = new Outbox(this.#context, this.#outbox, peer);
      this.#outboxes.set(peer, outbox);
    }
    return outbox;
  }

  #openOutbox(): void {
    const { segment, memory, rank, ranks, reclaimers } = this.#context;
    const byteLength = outboxBytes(ranks);
    this.#outbox = reclaimers.take(() => segment.allocateBytes(byteLength));
    segment.words.fill(0, this.#outbox / 4, (this.#outbox + byteLength) / 4);
    const mailbox = memory.control.mailboxes + rank * LINE_BYTES;
    // Safe: the outbox was zeroed above; readers find it by this word only.
    Atomics.store(segment.words, mailbox / 4, this.#outbox);
    reclaimers.add(this.#reclaim);
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
    for (let look = 0; this.#open.size > 0; look++) {
      for (const [peer, outbox] of this.#outboxes) if (outbox.progress()) this.#tell(peer);
      for (const [peer, inbox] of this.#inboxes) if (inbox.progress()) this.#tell(peer);
      if (this.#settleAll() || look >= spins / LOOKS_PER_SPIN) return;
    }
  }

  /** @returns whether anything has settled */
  #settleAll(): boolean {
    const before = this.#open.size;
    for (const message of this.#open) if (isSettled(message)) this.#settle(message);
    return this.#open.size < before;
  }

  #settle(message: Message): void {
    this.#open.delete(message);
    if (message.state !== "done") return;
    this.counters.operations++;
    this.counters.bytes += message.buffer.byteLength;
  }

  expire(entry: Entry, waitedMs: number): void {
    for (const message of messagesOf(entry)) {
      if (!isSettled(message)) this.#expire(message, waitedMs);
    }
  }

  #expire(message: Message, waitedMs: number): void {
    const lost = this.#lost(message.peer);
    const timedOut = waitedMs > message.timeoutMs;
    if (lost === undefined && !timedOut) return;
    // It may have come and ended since the last look.
    this.progress(0);
    if (isSettled(message)) return;
    if (message.side === "recv") this.#inboxFrom(message.peer).giveUp(message);
    // What the peer is copying just now completes, unless it has ended.
    else if (!this.#outboxTo(message.peer).giveUp(message) && lost === undefined) return;
    this.#fail(message, lost);
    this.#settle(message);
    this.#tell(message.peer);
  }

  /** @param lost how the other rank has ended; undefined if the time is up */
  #fail(message: Message, lost: LostRank | undefined): void {
    const at = placeOfMessage(this.#context.place, message);
    message.failure =
      lost === undefined
        ? new TimeoutError(at, message.timeoutMs, [message.peer])
        : new RankLostError(at, [lost]);
    message.state = "failed";
  }

  /** How a rank has ended; undefined if it has not. */
  #lost(rank: number): LostRank | undefined {
    const { segment, members } = this.#context;
    const status = segment.statusOf(members[rank]!);
    return status.kind === "running" ? undefined : { rank, status };
  }

  /** Gives all memory back; nothing is pending, and no receiver looks at it any more. */
  free(): void {
    this.#context.reclaimers.delete(this.#reclaim);
    for (const outbox of this.#outboxes.values()) outbox.free();
    if (this.#outbox !== 0) this.#context.segment.freeBytes(this.#outbox);
    this.#outbox = 0;
  }
}
