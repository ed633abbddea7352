/** Checks the arguments of sends and receives, and makes tasks of them. */

import type { ElementArray } from "../../memory/dataTypes.js";
import { checkApart, checkRank, typeOfNeeded } from "../arguments/checks.js";
import type { RecvOptions, SendOptions, SendrecvOptions } from "../options.js";
import { type Entry, isSettled } from "../requests/channel.js";
import type { Progress } from "../requests/progress.js";
import type { Task } from "../requests/task.js";
import { type MessageParts, messageText, newMessage } from "./message.js";
import type { MessageChannel } from "./messageChannel.js";
import { messagesOf, PairEntry } from "./pair.js";

/** What a group's messages need to know of it. */
export interface MessageContext {
  readonly rank: number;
  readonly ranks: number;
  readonly timeoutMs: number;
  readonly progress: Progress;
  readonly channel: MessageChannel;
  /** @throws {TypeError} If the group was closed. */
  readonly checkOpen: () => void;
}

/** Largest tag: one word of an envelope. */
const MAX_TAG = 2147483647;

function checkTag(kind: string, name: string, tag: number): void {
  if (!Number.isInteger(tag) || tag < 0 || tag > MAX_TAG) {
    throw new RangeError(
      `Cannot ${kind}: ${name} must be a whole number from 0 to ${MAX_TAG}, got ${String(tag)}`,
    );
  }
}

/** One message, or a send and a receive that settle together. */
class MessageTask implements Task {
  readonly #context: MessageContext;
  readonly #first: MessageParts;
  readonly #second: MessageParts | undefined;

  /** @param first the send of a pair: it may find no memory, so it is started first */
  constructor(context: MessageContext, first: MessageParts, second?: MessageParts) {
    this.#context = context;
    this.#first = first;
    this.#second = second;
  }

  newEntry(): Entry {
    const { channel } = this.#context;
    const first = newMessage(channel, this.#first);
    return this.#second === undefined
      ? first
      : new PairEntry([first, newMessage(channel, this.#second)]);
  }

  runBriefly(): Entry {
    const entry = this.newEntry();
    this.start(entry);
    return entry;
  }

  start(entry: Entry): void {
    const { progress, channel, checkOpen } = this.#context;
    checkOpen();
    progress.checkEntry(() => `start ${messageText(this.#first)}`, entry);
    for (const message of messagesOf(entry)) channel.start(message);
    if (!isSettled(entry)) progress.add(entry);
  }
}

/**
 * @throws {TypeError} If the buffer is none.
 * @throws {RangeError} If rank or tag is out of range.
 */
export function sendTask(
  context: MessageContext,
  buffer: ElementArray,
  options: SendOptions,
): Task {
  return new MessageTask(context, sendParts("send", context, buffer, options));
}

function sendParts(
  kind: string,
  context: MessageContext,
  buffer: ElementArray,
  { to, tag = 0, timeoutMs = context.timeoutMs }: SendOptions,
): MessageParts {
  const type = typeOfNeeded(kind, "buffer", buffer);
  checkRank(kind, "to", to, context);
  checkTag(kind, "tag", tag);
  return { side: "send", peer: to, tag, type, buffer, timeoutMs };
}

/**
 * @throws {TypeError} If the buffer is none.
 * @throws {RangeError} If rank or tag is out of range.
 */
export function recvTask(
  context: MessageContext,
  buffer: ElementArray,
  options: RecvOptions,
): Task {
  return new MessageTask(context, recvParts("recv", context, buffer, options));
}

function recvParts(
  kind: string,
  context: MessageContext,
  buffer: ElementArray,
  { from, tag = 0, timeoutMs = context.timeoutMs }: RecvOptions,
): MessageParts {
  const type = typeOfNeeded(kind, "buffer", buffer);
  checkRank(kind, "from", from, context);
  checkTag(kind, "tag", tag);
  return { side: "recv", peer: from, tag, type, buffer, timeoutMs };
}

/**
 * @throws {TypeError} If a buffer is none.
 * @throws {RangeError} If a rank or tag is out of range, or the buffers overlap.
 */
export function sendrecvTask(
  context: MessageContext,
  { send, recv }: { send: ElementArray; recv: ElementArray },
  options: SendrecvOptions,
): Task {
  const { to, from, sendTag = 0, recvTag = 0, timeoutMs = context.timeoutMs } = options;
  const out = sendParts("sendrecv", context, send, { to, tag: sendTag, timeoutMs });
  const into = recvParts("sendrecv", context, recv, { from, tag: recvTag, timeoutMs });
  checkApart("sendrecv", send, recv);
  return new MessageTask(context, out, into);
}
