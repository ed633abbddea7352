/** The messages that a rank sends to one other. */

import { MismatchError, TimeoutError } from "../../errors/communicationErrors.js";
import { LINE_BYTES } from "../../kernels/exchangeLayout.js";
import { DATA_TYPES } from "../../memory/dataTypes.js";
import type { ExecutionContext } from "../execution/meeting.js";
import {
  CLAIM,
  countOf,
  countWords,
  ENVELOPE,
  ENVELOPE_BYTES,
  INLINE_BYTES,
  INLINE_OFFSET,
  OUTCOME,
} from "./envelope.js";
import { BUFFERED_BYTES, type Message, placeOfMessage } from "./message.js";

/**
 * How long a send waits for its receive before its data is copied aside, so that the sender can go
 * on: longer than ranks in step are apart, shorter than anybody notices. Also how often it is tried
 * again when there was no memory for it.
 */
const ASIDE_MS = 10;

/** A message that was sent, until nobody needs its memory any more. */
interface Sent {
  readonly message: Message;
  readonly envelope: number;
  /** Block of the data; 0 if it lies in the envelope or in the caller's own memory. */
  data: number;
  /** Bytes of a chunk; 0 if the data does not pass by chunk. */
  readonly chunkBytes: number;
  /** When to copy it aside, if nobody has asked for it by then. */
  asideMs: number;
}

/** Sends to one rank. */
export class Outbox {
  readonly #context: ExecutionContext;
  /** Where the address of the first envelope stands. */
  readonly #first: number;
  /** Sends that have not completed. */
  #running: Sent[] = [];
  /** All whose envelopes are still in use, in the order of the chain. */
  #sent: Sent[] = [];
  #lastEnvelope = 0;

  constructor(context: ExecutionContext, outbox: number, peer: number) {
    this.#context = context;
    this.#first = outbox + peer * LINE_BYTES;
  }

  #word(envelope: number, word: number): number {
    // Safe: written once, or only ever increased, by the other side; whatever it stands for was
    // written before it.
    return Atomics.load(this.#context.segment.words, envelope / 4 + word);
  }

  /** @throws {SegmentFullError} If there is no memory for it; nothing is sent then. */
  send(message: Message): void {
    this.#reclaimFirst();
    const sent = this.#context.reclaimers.take(() => this.#newSent(message));
    message.state = "running";
    message.failure = undefined;
    this.#fill(sent);
    this.#publish(sent.envelope);
    this.#sent.push(sent);
    if (message.buffer.byteLength <= BUFFERED_BYTES) message.state = "done";
    else this.#running.push(sent);
  }

  #newSent(message: Message): Sent {
    const { segment } = this.#context;
    const { buffer } = message;
    const isBuffered = buffer.byteLength <= BUFFERED_BYTES;
    const chunkBytes = isBuffered || segment.holds(buffer) ? 0 : this.#chunkBytesFor(buffer);
    const envelope = segment.allocateBytes(ENVELOPE_BYTES);
    const asideMs = performance.now() + ASIDE_MS;
    const sent = { message, envelope, data: 0, chunkBytes, asideMs };
    const dataBytes = isBuffered ? buffer.byteLength : 2 * chunkBytes;
    if (dataBytes <= INLINE_BYTES) return sent;
    try {
      sent.data = segment.allocateBytes(dataBytes);
    } catch (error) {
      segment.freeBytes(envelope);
      throw error;
    }
    return sent;
  }

  /** Two chunks hold the whole message, or as much as a staging block. */
  #chunkBytesFor({ byteLength }: { byteLength: number }): number {
    const half = Math.ceil(byteLength / 2 / LINE_BYTES) * LINE_BYTES;
    return Math.min(half, this.#context.memory.chunkBytes);
  }

  #fill({ message, envelope, data, chunkBytes }: Sent): void {
    const { words, buffer: memory } = this.#context.segment;
    const { buffer, tag, type } = message;
    const at = envelope / 4;
    words.fill(0, at, at + INLINE_OFFSET / 4);
    const [low, high] = countWords(buffer.length);
    const isInline = buffer.byteLength <= INLINE_BYTES;
    const address = isInline ? envelope + INLINE_OFFSET : data === 0 ? buffer.byteOffset : data;
    words[at + ENVELOPE.tag] = tag;
    words[at + ENVELOPE.type] = type.code;
    words[at + ENVELOPE.countLow] = low;
    words[at + ENVELOPE.countHigh] = high;
    words[at + ENVELOPE.address] = address;
    words[at + ENVELOPE.chunkBytes] = chunkBytes;
    if (buffer.byteLength <= BUFFERED_BYTES) {
      copyFrom(memory, message, { target: address, begin: 0, byteLength: buffer.byteLength });
    }
  }

  #publish(envelope: number): void {
    const { segment } = this.#context;
    const link = this.#lastEnvelope === 0 ? this.#first : this.#lastEnvelope + 4 * ENVELOPE.next;
    this.#lastEnvelope = envelope;
    // Safe: everything in the envelope was written above; the receiver follows this word to it.
    Atomics.store(segment.words, link / 4, envelope);
  }

  /** Moves all sends on. @returns whether the receiver may want to know */
  progress(): boolean {
    if (this.#running.length === 0) return false;
    let moved = false;
    for (const sent of this.#running) moved = this.#progress(sent) || moved;
    this.#running = this.#running.filter(({ message }) => message.state === "running");
    return moved;
  }

  #progress(sent: Sent): boolean {
    const { message, envelope, chunkBytes } = sent;
    const outcome = this.#word(envelope, ENVELOPE.outcome);
    if (outcome === OUTCOME.pending) {
      if (this.#word(envelope, ENVELOPE.claim) === CLAIM.open) this.#setAside(sent);
      else if (chunkBytes > 0) return this.#stage(sent);
      return false;
    }
    this.#freeData(sent);
    if (outcome === OUTCOME.received) message.state = "done";
    else this.#fail(sent, outcome === OUTCOME.refused);
    return false;
  }

  #fail({ message, envelope }: Sent, isRefused: boolean): void {
    const { peer, timeoutMs } = message;
    const at = placeOfMessage(this.#context.place, message);
    if (isRefused) {
      const code = this.#word(envelope, ENVELOPE.wantedType);
      const low = this.#word(envelope, ENVELOPE.wantedLow);
      const count = countOf(low, this.#word(envelope, ENVELOPE.wantedHigh));
      const type = DATA_TYPES.find((info) => info.code === code)?.name ?? `type ${code}`;
      message.failure = new MismatchError(at, [], [`rank ${peer} expected ${count} ${type}`]);
    } else {
      message.failure = new TimeoutError(at, timeoutMs, [peer]);
    }
    message.state = "failed";
  }

  /** Writes chunks where the receiver has taken the last ones. @returns whether there were any */
  #stage({ message, envelope, chunkBytes, data }: Sent): boolean {
    const { segment } = this.#context;
    const { byteLength } = message.buffer;
    const chunks = Math.ceil(byteLength / chunkBytes);
    let staged = this.#word(envelope, ENVELOPE.staged);
    let moved = false;
    while (staged < chunks && staged - this.#word(envelope, ENVELOPE.taken) < 2) {
      const begin = staged * chunkBytes;
      const target = data + (staged % 2) * chunkBytes;
      const length = Math.min(chunkBytes, byteLength - begin);
      copyFrom(segment.buffer, message, { target, begin, byteLength: length });
      staged++;
      // Safe: the chunk was written above.
      Atomics.store(segment.words, envelope / 4 + ENVELOPE.staged, staged);
      moved = true;
    }
    // The receiver has all that it needs, whatever becomes of this rank.
    if (staged === chunks) message.state = "done";
    return moved;
  }

  /** Copies the data of a message that nobody has asked for, so that the sender can go on. */
  #setAside(sent: Sent): void {
    const { segment, reclaimers, members } = this.#context;
    const nowMs = performance.now();
    if (nowMs < sent.asideMs) return;
    sent.asideMs = nowMs + ASIDE_MS;
    const { message, envelope } = sent;
    // Nobody will ask for it, which its sender is to hear.
    if (segment.statusOf(members[message.peer]!).kind !== "running") return;
    const { byteLength } = message.buffer;
    if (!segment.hasRoomFor(byteLength)) reclaimers.reclaim();
    if (!segment.hasRoomFor(byteLength)) return;
    const aside = segment.allocateBytes(byteLength);
    copyFrom(segment.buffer, message, { target: aside, begin: 0, byteLength });
    segment.words[envelope / 4 + ENVELOPE.aside] = aside;
    if (!this.#decide(envelope, CLAIM.aside)) {
      segment.freeBytes(aside);
      return;
    }
    this.#freeData(sent);
    sent.data = aside;
    message.state = "done";
  }

  /** Decides about a message that nobody has decided about yet. */
  #decide(envelope: number, claim: number): boolean {
    const at = envelope / 4 + ENVELOPE.claim;
    // Safe: of sender and receiver only one finds it open; what it stands for was written before.
    return (
      Atomics.compareExchange(this.#context.segment.words, at, CLAIM.open, claim) === CLAIM.open
    );
  }

  /**
   * Takes back a send that is under way.
   *
   * @returns whether that was possible; if not, the receiver is copying the data at this moment
   */
  giveUp(message: Message): boolean {
    const sent = this.#running.find((other) => other.message === message)!;
    if (this.#decide(sent.envelope, CLAIM.withdrawn)) this.#freeData(sent);
    else if (sent.chunkBytes === 0) return false;
    // Safe: only the sender writes this word, and it stages nothing afterwards.
    else Atomics.store(this.#context.segment.words, sent.envelope / 4 + ENVELOPE.cut, 1);
    this.#running = this.#running.filter((other) => other !== sent);
    return true;
  }

  #freeData(sent: Sent): void {
    if (sent.data !== 0) this.#context.segment.freeBytes(sent.data);
    sent.data = 0;
  }

  /** Gives back what a message holds and nobody needs. @returns whether that is all of it */
  #release(sent: Sent): boolean {
    const { message, envelope } = sent;
    const isPending = this.#word(envelope, ENVELOPE.outcome) === OUTCOME.pending;
    if (isPending || message.state === "running") return false;
    this.#freeData(sent);
    if (this.#word(envelope, ENVELOPE.passed) === 0) return false;
    this.#context.segment.freeBytes(envelope);
    return true;
  }

  /** Gives back the memory of the oldest messages: mostly they are taken in their order. */
  #reclaimFirst(): void {
    let over = 0;
    while (over < this.#sent.length && this.#release(this.#sent[over]!)) over++;
    if (over > 0) this.#sent.splice(0, over);
  }

  /** Gives back the memory of all messages that nobody looks at any more. */
  reclaim(): void {
    this.#sent = this.#sent.filter((sent) => !this.#release(sent));
  }

  /** Gives back everything; no receiver looks at it any more. */
  free(): void {
    for (const sent of this.#sent.splice(0)) {
      this.#freeData(sent);
      this.#context.segment.freeBytes(sent.envelope);
    }
  }
}

function copyFrom(
  memory: SharedArrayBuffer,
  { buffer }: Message,
  { target, begin, byteLength }: { target: number; begin: number; byteLength: number },
): void {
  const bytes = new Uint8Array(buffer.buffer, buffer.byteOffset + begin, byteLength);
  new Uint8Array(memory, target, byteLength).set(bytes);
}
