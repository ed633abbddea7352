/** A message as one of its two ranks knows it. */

import type { OperationPlace } from "../../errors/communicationErrors.js";
import type { DataTypeInfo, ElementArray } from "../../memory/dataTypes.js";
import type { GroupPlace } from "../operations/operation.js";
import type { Channel, Entry } from "../requests/channel.js";

/** Bytes up to which a message is copied at once, so that its sender need not wait for anybody. */
export const BUFFERED_BYTES = 65536;

/** A send or a receive. */
export interface Message extends Entry {
  readonly side: "send" | "recv";
  /** The other rank. */
  readonly peer: number;
  readonly tag: number;
  readonly type: DataTypeInfo;
  readonly buffer: ElementArray;
  /** Its number among the messages that this rank has started in the group, from 1. */
  sequence: number;
}

/** What makes a message. */
export type MessageParts = Pick<Message, "side" | "peer" | "tag" | "type" | "buffer" | "timeoutMs">;

/** A message that was not started yet. */
export function newMessage(channel: Channel, parts: MessageParts): Message {
  const { side, peer, tag, type, buffer, timeoutMs } = parts;
  // Field by field: copying an object by spreading it costs ten times as much.
  return {
    side,
    peer,
    tag,
    type,
    buffer,
    timeoutMs,
    channel,
    reads: side === "send" ? buffer : undefined,
    writes: side === "recv" ? buffer : undefined,
    sequence: 0,
    state: "queued",
    failure: undefined,
    exposedMs: 0,
  };
}

/** A message in words. */
export function messageText({ side, peer, tag, type, buffer }: MessageParts): string {
  const what = `${side} of ${buffer.length} ${type.name}`;
  return `${what} ${side === "send" ? "to" : "from"} rank ${peer}, tag ${tag}`;
}

/** Place of a message for its errors. */
export function placeOfMessage(group: GroupPlace, message: Message): OperationPlace {
  return { ...group, operation: messageText(message), sequence: message.sequence };
}
