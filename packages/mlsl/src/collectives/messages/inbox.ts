/** The messages that a rank receives from one other. */

import { MismatchError, TimeoutError } from "../../errors/communicationErrors.js";
import { LINE_BYTES } from "../../kernels/exchangeLayout.js";
import { DATA_TYPES } from "../../memory/dataTypes.js";
import type { ExecutionContext } from "../execution/meeting.js";
import { CLAIM, countOf, countWords, ENVELOPE, OUTCOME } from "./envelope.js";
import { type Message, placeOfMessage } from "./message.js";
import { TagQueues } from "./tagQueues.js";

/** A receive whose message is coming in by chunk. */
interface Arriving {
  readonly message: Message;
  readonly envelope: number;
  taken: number;
}

/** Receives from one rank. Of a tag, either receives wait for messages or messages for receives. */
export class Inbox {
  readonly #context: ExecutionContext;
  readonly #peer: number;
  /** Receives that no message was found for yet. */
  readonly #posted = new TagQueues<Message>();
  /** Envelopes that nobody has asked for yet. */
  readonly #waiting = new TagQueues<number>();
  #arriving: Arriving[] = [];
  /** The last envelope of the chain that was seen; 0 before the first one. */
  #last = 0;

  constructor(context: ExecutionContext, peer: number) {
    this.#context = context;
    this.#peer = peer;
  }

  #word(envelope: number, word: number): number {
    // Safe: whatever a word stands for was written before it.
    return Atomics.load(this.#context.segment.words, envelope / 4 + word);
  }

  #address(block: number, word: number): number {
    return this.#word(block, word) >>> 0; // bits: a 32-bit address, read unsigned
  }

  #store(envelope: number, word: number, value: number): void {
    // Safe: only the receiver writes this word, after what it stands for.
    Atomics.store(this.#context.segment.words, envelope / 4 + word, value);
  }

  /** @returns whether earlier receives have got their messages on the way */
  post(message: Message): boolean {
    message.state = "running";
    message.failure = undefined;
    // Messages that have come meanwhile are for earlier receives first.
    const moved = this.#follow();
    for (;;) {
      const envelope = this.#waiting.first(message.tag);
      if (envelope === undefined) break;
      this.#waiting.remove(message.tag, envelope);
      if (this.#meet(message, envelope)) return moved;
    }
    this.#posted.push(message.tag, message);
    return moved;
  }

  /** Moves all receives on. @returns whether the sender may want to know */
  progress(): boolean {
    let moved = false;
    for (const arriving of this.#arriving) moved = this.#take(arriving) || moved;
    this.#arriving = this.#arriving.filter(({ message }) => message.state === "running");
    if (this.#posted.isEmpty) return moved;
    return this.#follow() || moved;
  }

  /** Follows the chain to its end, and gives receives what they wait for. */
  #follow(): boolean {
    let moved = false;
    for (let envelope = this.#next(); envelope !== 0; envelope = this.#next()) {
      this.#last = envelope;
      const tag = this.#word(envelope, ENVELOPE.tag);
      const message = this.#posted.first(tag);
      if (message === undefined) {
        this.#waiting.push(tag, envelope);
      } else if (this.#meet(message, envelope)) {
        this.#posted.remove(tag, message);
        moved = true;
      }
    }
    return moved;
  }

  /** The envelope after the last one that was seen; 0 if there is none yet. */
  #next(): number {
    if (this.#last !== 0) {
      const next = this.#address(this.#last, ENVELOPE.next);
      if (next !== 0) this.#store(this.#last, ENVELOPE.passed, 1);
      return next;
    }
    const { rank, memory } = this.#context;
    const outbox = this.#address(memory.control.mailboxes + this.#peer * LINE_BYTES, 0);
    return outbox === 0 ? 0 : this.#address(outbox + rank * LINE_BYTES, 0);
  }

  /** Gives a receive a message. @returns false if the sender has taken that back */
  #meet(message: Message, envelope: number): boolean {
    const at = envelope / 4 + ENVELOPE.claim;
    const { words } = this.#context.segment;
    // Safe: of sender and receiver only one finds it open.
    const found = Atomics.compareExchange(words, at, CLAIM.open, CLAIM.receiver);
    if (found === CLAIM.withdrawn) {
      this.#store(envelope, ENVELOPE.outcome, OUTCOME.dropped);
      return false;
    }
    if (!this.#fits(message, envelope)) {
      this.#refuse(message, envelope);
    } else if (found === CLAIM.aside || this.#word(envelope, ENVELOPE.chunkBytes) === 0) {
      const place = found === CLAIM.aside ? ENVELOPE.aside : ENVELOPE.address;
      this.#copy(message, { source: this.#address(envelope, place), begin: 0 });
      this.#finish(message, envelope);
    } else {
      this.#arriving.push({ message, envelope, taken: 0 });
    }
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
    const code = this.#word(envelope, ENVELOPE.type);
    const type = DATA_TYPES.find((info) => info.code === code)?.name ?? `type ${code}`;
    const sent = `rank ${this.#peer} sent ${this.#countIn(envelope)} ${type}`;
    this.#fail(
      message,
      new MismatchError(placeOfMessage(this.#context.place, message), [], [sent]),
    );
    const [low, high] = countWords(message.buffer.length);
    this.#store(envelope, ENVELOPE.wantedType, message.type.code);
    this.#store(envelope, ENVELOPE.wantedLow, low);
    this.#store(envelope, ENVELOPE.wantedHigh, high);
    this.#store(envelope, ENVELOPE.outcome, OUTCOME.refused);
  }

  #fail(message: Message, failure: Error): void {
    message.failure = failure;
    message.state = "failed";
  }

  #copy(
    { buffer }: Message,
    {
      source,
      begin,
      byteLength = buffer.byteLength,
    }: { source: number; begin: number; byteLength?: number },
  ): void {
    const { segment, kernels } = this.#context;
    if (segment.holds(buffer)) {
      kernels.copy(buffer.byteOffset + begin, source, byteLength);
      return;
    }
    const bytes = new Uint8Array(segment.buffer, source, byteLength);
    new Uint8Array(buffer.buffer, buffer.byteOffset + begin, byteLength).set(bytes);
  }

  #finish(message: Message, envelope: number): void {
    message.state = "done";
    this.#store(envelope, ENVELOPE.outcome, OUTCOME.received);
  }

  /** Takes the chunks that lie ready. @returns whether there were any */
  #take(arriving: Arriving): boolean {
    const { message, envelope } = arriving;
    const chunkBytes = this.#word(envelope, ENVELOPE.chunkBytes);
    const address = this.#address(envelope, ENVELOPE.address);
    const { byteLength } = message.buffer;
    // Read first: a sender that gives up stages nothing afterwards.
    const isCut = this.#word(envelope, ENVELOPE.cut) !== 0;
    let moved = false;
    while (arriving.taken < this.#word(envelope, ENVELOPE.staged)) {
      const begin = arriving.taken * chunkBytes;
      const source = address + (arriving.taken % 2) * chunkBytes;
      this.#copy(message, { source, begin, byteLength: Math.min(chunkBytes, byteLength - begin) });
      arriving.taken++;
      this.#store(envelope, ENVELOPE.taken, arriving.taken);
      moved = true;
    }
    if (arriving.taken * chunkBytes >= byteLength) {
      this.#finish(message, envelope);
    } else if (isCut) {
      const at = placeOfMessage(this.#context.place, message);
      this.#fail(message, new TimeoutError(at, message.timeoutMs, [this.#peer]));
      this.#store(envelope, ENVELOPE.outcome, OUTCOME.dropped);
    }
    return moved;
  }

  /** Takes a receive back; it gets nothing any more. */
  giveUp(message: Message): void {
    if (this.#posted.remove(message.tag, message)) return;
    const index = this.#arriving.findIndex((arriving) => arriving.message === message);
    const [{ envelope }] = this.#arriving.splice(index, 1) as [Arriving];
    this.#store(envelope, ENVELOPE.outcome, OUTCOME.dropped);
  }
}
