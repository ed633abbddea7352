/** The messages that a rank sends to one other. */

import { MismatchError } from "../../errors/communicationErrors.js";
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
import { BUFFERED_BYTES, type Message, messageText } from "./message.js";

/**
 * How long a send waits for its receive before its data is copied aside, so that the sender can go
 * on: longer than ranks in step are apart, shorter than anybody notices.
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
  readonly sentMs: number;
  asideTried: boolean;
}

/** Sends to one rank. */
export class Outbox {
  readonly #context: ExecutionContext;
  /** Where the address of the first envelope stands. */
  readonly #first: number;
  readonly #sent: Sent[] = [];
  #lastEnvelope = 0;

  constructor(context: ExecutionContext, outbox: number, peer: number) {
    this.#context = context;
    this.#first = outbox + peer * LINE_BYTES;
  }

  /** Whether a send has not completed. */
  get isPending(): boolean {
    return this.#sent.some(({ message }) => message.state === "running");
  }

  #word(envelope: number, word: number): number {
    // Safe: written once, or only ever increased, by the other side; whatever it stands for was
    // written before it.
    return Atomics.load(this.#context.segment.words, envelope / 4 + word);
  }

  /** @throws {SegmentFullError} If there is no memory for it; nothing is sent then. */
  send(message: Message): void {
    this.reclaim();
    const { segment } = this.#context;
    const { byteLength } = message.buffer;
    const isInside = segment.holds(message.buffer);
    const envelope = segment.allocateBytes(ENVELOPE_BYTES);
    let data = 0;
    let chunkBytes = 0;
    try {
      if (byteLength > INLINE_BYTES && byteLength <= BUFFERED_BYTES) {
        data = segment.allocateBytes(byteLength);
      } else if (byteLength > BUFFERED_BYTES && !isInside) {
        chunkBytes = this.#context.memory.chunkBytes;
        data = segment.allocateBytes(2 * chunkBytes);
      }
    } catch (error) {
      segment.freeBytes(envelope);
      throw error;
    }
    const sent = {
      message,
      envelope,
      data,
      chunkBytes,
      sentMs: performance.now(),
      asideTried: false,
    };
    message.state = "running";
    this.#fill(sent);
    this.#publish(envelope);
    this.#sent.push(sent);
    this.#progress(sent);
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
    let moved = false;
    for (const sent of this.#sent) {
      if (sent.message.state === "running") moved = this.#progress(sent) || moved;
    }
    return moved;
  }

  #progress(sent: Sent): boolean {
    const { message, envelope, chunkBytes } = sent;
    if (message.buffer.byteLength <= BUFFERED_BYTES) {
      message.state = "done";
      return false;
    }
    const outcome = this.#word(envelope, ENVELOPE.outcome);
    if (outcome === OUTCOME.received) message.state = "done";
    else if (outcome === OUTCOME.refused) this.#refuse(sent);
    else if (this.#word(envelope, ENVELOPE.claim) === CLAIM.open) this.#setAside(sent);
    else if (chunkBytes > 0) return this.#stage(sent);
    return false;
  }

  #refuse({ message, envelope }: Sent): void {
    const { place } = this.#context;
    const code = this.#word(envelope, ENVELOPE.wantedType);
    const low = this.#word(envelope, ENVELOPE.wantedLow);
    const count = countOf(low, this.#word(envelope, ENVELOPE.wantedHigh));
    const type = DATA_TYPES.find((info) => info.code === code)?.name ?? `type ${code}`;
    const at = { ...place, operation: messageText(message), sequence: 0 };
    message.failure = new MismatchError(at, [], [`rank ${message.peer} expected ${count} ${type}`]);
    message.state = "failed";
  }

  /** Writes the next chunk, if one of the two blocks is free. */
  #stage({ message, envelope, chunkBytes, data }: Sent): boolean {
    const { segment } = this.#context;
    if (this.#word(envelope, ENVELOPE.claim) !== CLAIM.receiver) return false;
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
    return moved;
  }

  /** Copies the data of a message that nobody has asked for, so that the sender can go on. */
  #setAside(sent: Sent): void {
    const { segment } = this.#context;
    if (sent.asideTried || performance.now() - sent.sentMs < ASIDE_MS) return;
    sent.asideTried = true;
    const { message, envelope } = sent;
    const { byteLength } = message.buffer;
    if (!segment.hasRoomFor(byteLength)) return;
    const aside = segment.allocateBytes(byteLength);
    copyFrom(segment.buffer, message, { target: aside, begin: 0, byteLength });
    segment.words[envelope / 4 + ENVELOPE.aside] = aside;
    const unused = this.#decide(envelope, CLAIM.aside) ? sent.data : aside;
    if (unused !== 0) segment.freeBytes(unused);
    if (unused === aside) return;
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

  /** Takes a send back that has not been received. @returns whether that was possible */
  withdraw(message: Message): boolean {
    const sent = this.#sent.find((other) => other.message === message);
    return sent === undefined || this.#decide(sent.envelope, CLAIM.withdrawn);
  }

  /** Gives back the memory of messages that nobody looks at any more. */
  reclaim(): void {
    const { segment } = this.#context;
    for (let i = 0; i < this.#sent.length; ) {
      const sent = this.#sent[i]!;
      const isOver =
        this.#word(sent.envelope, ENVELOPE.outcome) !== OUTCOME.pending ||
        this.#word(sent.envelope, ENVELOPE.claim) === CLAIM.withdrawn;
      if (isOver && sent.message.state !== "running") {
        if (sent.data !== 0) segment.freeBytes(sent.data);
        sent.data = 0;
        if (this.#word(sent.envelope, ENVELOPE.passed) === 1) {
          segment.freeBytes(sent.envelope);
          this.#sent.splice(i, 1);
          continue;
        }
      }
      i++;
    }
  }

  /** Gives back everything. */
  free(): void {
    for (const { envelope, data } of this.#sent.splice(0)) {
      if (data !== 0) this.#context.segment.freeBytes(data);
      this.#context.segment.freeBytes(envelope);
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
