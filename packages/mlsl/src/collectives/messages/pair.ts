/** A send and a receive as one. */

import type { ElementArray } from "../../memory/dataTypes.js";
import { type Channel, type Entry, isSettled } from "../requests/channel.js";
import type { Message } from "./message.js";

/** A send and a receive that settle together. */
export class PairEntry implements Entry {
  readonly channel: Channel;
  readonly timeoutMs: number;
  readonly reads: ElementArray | undefined;
  readonly writes: ElementArray | undefined;
  exposedMs = 0;
  readonly parts: readonly [send: Message, recv: Message];

  constructor(parts: readonly [send: Message, recv: Message]) {
    const [send, recv] = parts;
    this.parts = parts;
    this.channel = send.channel;
    this.timeoutMs = send.timeoutMs;
    this.reads = send.buffer;
    this.writes = recv.buffer;
  }

  get state(): Entry["state"] {
    if (!this.parts.every(isSettled)) return "running";
    return this.parts.some(({ state }) => state === "failed") ? "failed" : "done";
  }

  get failure(): Error | undefined {
    // A failure counts once nothing is under way any more.
    return this.state === "failed" ? this.parts.find((part) => part.failure)?.failure : undefined;
  }
}

/** The messages that an entry of a message channel stands for. */
export function messagesOf(entry: Entry): readonly Message[] {
  // Entries of such a channel are pairs or messages.
  return entry instanceof PairEntry ? entry.parts : [entry as Message];
}
