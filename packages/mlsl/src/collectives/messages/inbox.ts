/** The messages that a rank receives from one other. */

import { MismatchError } from "../../errors/communicationErrors.js";
import { LINE_BYTES } from "../../kernels/exchangeLayout.js";
import { DATA_TYPES } from "../../memory/dataTypes.js";
import type { ExecutionContext } from "../execution/meeting.js";
import { CLAIM, countOf, countWords, ENVELOPE, OUTCOME } from "./envelope.js";
import { type Message, messageText } from "./message.js";

/** A receive whose message is coming in by chunk. */
interface Arriving {
  readonly message: Message;
  readonly envelope: number;
  taken: number;
}

/** Receives from one rank. */
export class Inbox {
  readonly #context: ExecutionContext;
  readonly #peer: number;
  /** Receives that no message was found for yet, in their order. */
  readonly #posted: Message[] = [];
  /** Envelopes that nobody has asked for yet, in their order. */
  readonly #waiting: number[] = [];
  readonly #arriving: Arriving[] = [];
  /** The last envelope of the chain that was seen; 0 before the first one. */
  #last = 0;

  constructor(context: ExecutionContext, peer: number) {
    this.#context = context;
    this.#peer = peer;
  }

  get isPending(): boolean {
    return this.#posted.length > 0 || this.#arriving.length > 0;
  }

  #word(envelope: number, word: number): number {
    // Safe: whatever a word stands for was written before it.
    return Atomics.load(this.#context.segment.words, envelope / 4 + word);
  }

  #store(envelope: number, word: number, value: number): void {
    // Safe: only the receiver writes this word, after what it stands for.
    Atomics.store(this.#context.segment.words, envelope / 4 + word, value);
  }

  post(message: Message): void {
    message.state = "running";
    this.#posted.push(message);
    this.progress();
  }

  /** Moves all receives on. @returns whether the sender may want to know */
  progress(): boolean {
    let moved = false;
    for (const arriving of [...this.#arriving]) moved = this.#take(arriving) || moved;
    if (this.#posted.length === 0) return moved;
    this.#follow();
    for (const message of [...this.#posted]) moved = this.#match(message) || moved;
    return moved;
  }

  /** Follows the chain to its end. */
  #follow(): void {
    const { segment, rank, memory } = this.#context;
    if (this.#last === 0) {
      const mailbox = memory.control.mailboxes + this.#peer * LINE_BYTES;
      // Safe: stored once, after the outbox was zeroed.
      const outbox = Atomics.load(segment.words, mailbox / 4);
      if (outbox === 0) return;
      const first = this.#word(outbox + rank * LINE_BYTES, 0);
      if (first === 0) return;
      this.#last = first;
      this.#waiting.push(first);
    }
    for (;;) {
      const next = this.#word(this.#last, ENVELOPE.next);
      if (next === 0) return;
      this.#store(this.#last, ENVELOPE.passed, 1);
      this.#last = next;
      this.#waiting.push(next);
    }
  }

  #match(message: Message): boolean {
    const index = this.#waiting.findIndex(
      (envelope) => this.#word(envelope, ENVELOPE.tag) === message.tag,
    );
    if (index === -1) return false;
    const [envelope] = this.#waiting.splice(index, 1) as [number];
    if (this.#word(envelope, ENVELOPE.claim) === CLAIM.withdrawn) return this.#match(message);
    this.#posted.splice(this.#posted.indexOf(message), 1);
    if (this.#fits(message, envelope)) this.#receive(message, envelope);
    else this.#refuse(message, envelope);
    return true;
  }

  #countIn(envelope: number): number {
    const low = this.#word(envelope, ENVELOPE.countLow);
    return countOf(low, this.#word(envelope, ENVELOPE.countHigh));
  }

  #fits({ type, buffer }: Message, envelope: number): boolean {
    return (
      this.#word(envelope, ENVELOPE.type) === type.code && this.#countIn(envelope) === buffer.length
    );
  }

  #refuse(message: Message, envelope: number): void {
    const { place } = this.#context;
    const code = this.#word(envelope, ENVELOPE.type);
    const type = DATA_TYPES.find((info) => info.code === code)?.name ?? `type ${code}`;
    const at = { ...place, operation: messageText(message), sequence: 0 };
    const sent = `rank ${this.#peer} sent ${this.#countIn(envelope)} ${type}`;
    message.failure = new MismatchError(at, [], [sent]);
    message.state = "failed";
    const [low, high] = countWords(message.buffer.length);
    this.#store(envelope, ENVELOPE.wantedType, message.type.code);
    this.#store(envelope, ENVELOPE.wantedLow, low);
    this.#store(envelope, ENVELOPE.wantedHigh, high);
    this.#store(envelope, ENVELOPE.outcome, OUTCOME.refused);
  }

  #receive(message: Message, envelope: number): void {
    const at = envelope / 4 + ENVELOPE.claim;
    // Safe: of sender and receiver only one finds it open.
    const found = Atomics.compareExchange(
      this.#context.segment.words,
      at,
      CLAIM.open,
      CLAIM.receiver,
    );
    if (found === CLAIM.aside) {
      this.#copy(message, { source: this.#word(envelope, ENVELOPE.aside) }, 0);
      this.#finish(message, envelope);
    } else if (this.#word(envelope, ENVELOPE.chunkBytes) === 0) {
      this.#copy(message, { source: this.#word(envelope, ENVELOPE.address) }, 0);
      this.#finish(message, envelope);
    } else {
      const arriving = { message, envelope, taken: 0 };
      this.#arriving.push(arriving);
      this.#take(arriving);
    }
  }

  #copy(
    { buffer }: Message,
    { source, byteLength = buffer.byteLength }: { source: number; byteLength?: number },
    begin: number,
  ): void {
    const { segment, kernels } = this.#context;
    const from = source >>> 0; // bits: a 32-bit address, read unsigned
    if (segment.holds(buffer)) {
      kernels.copy(buffer.byteOffset + begin, from, byteLength);
      return;
    }
    const bytes = new Uint8Array(segment.buffer, from, byteLength);
    new Uint8Array(buffer.buffer, buffer.byteOffset + begin, byteLength).set(bytes);
  }

  #finish(message: Message, envelope: number): void {
    message.state = "done";
    this.#store(envelope, ENVELOPE.outcome, OUTCOME.received);
  }

  /** Takes the chunks that lie ready. */
  #take(arriving: Arriving): boolean {
    const { message, envelope } = arriving;
    const chunkBytes = this.#word(envelope, ENVELOPE.chunkBytes);
    const address = this.#word(envelope, ENVELOPE.address) >>> 0; // bits: a 32-bit address
    const { byteLength } = message.buffer;
    let moved = false;
    while (arriving.taken < this.#word(envelope, ENVELOPE.staged)) {
      const begin = arriving.taken * chunkBytes;
      const source = address + (arriving.taken % 2) * chunkBytes;
      this.#copy(message, { source, byteLength: Math.min(chunkBytes, byteLength - begin) }, begin);
      arriving.taken++;
      this.#store(envelope, ENVELOPE.taken, arriving.taken);
      moved = true;
    }
    if (arriving.taken * chunkBytes < byteLength) return moved;
    this.#arriving.splice(this.#arriving.indexOf(arriving), 1);
    this.#finish(message, envelope);
    return true;
  }

  /** Takes a receive back that no message was found for. @returns whether that was possible */
  withdraw(message: Message): boolean {
    const index = this.#posted.indexOf(message);
    if (index !== -1) this.#posted.splice(index, 1);
    return index !== -1;
  }

  /** Forgets a receive whose sender has ended amid the message. */
  abandon(message: Message): void {
    const index = this.#arriving.findIndex((arriving) => arriving.message === message);
    if (index !== -1) this.#arriving.splice(index, 1);
  }
}
