/** What an engine has to send: words and chunks by peer, and which frame should leave next. */

import { FRAME_HEADER_BYTES, type Frame, PART_HEADER_BYTES, type Part } from "./frames.js";
import { OLDEST_EVERY } from "./order.js";
import { Peer } from "./peer.js";
import type { EngineRequest } from "./request.js";

/** Whether a link can take a frame to a rank of the job now. */
export type HasRoom = (rank: number) => boolean;

/** How much may leave. */
export interface OutgoingLimits {
  /** Bytes of data that small chunks fill a frame up to. */
  readonly chunkBytes: number;
  /** No chunk leaves while so many bytes are in flight to its peer. */
  readonly windowBytes: number;
  /**
   * Whether the driver has done with a frame, or a kernel, when it asks for the next: it is then the same
   * object each time. @default each is a new one
   */
  readonly reusesObjects?: boolean;
}

/** A frame that is being filled. */
type FrameDraft = { -readonly [K in keyof Frame]: Frame[K] } & { readonly parts: Part[] };

/** Everything that waits to leave a rank. */
export class Outgoing {
  readonly #rank: number;
  readonly #chunkBytes: number;
  readonly #windowBytes: number;
  readonly #peers = new Map<number, Peer>();
  /** Peers for which something waits. */
  readonly #busy = new Set<Peer>();
  /** Ranks of the job that are gone: nothing goes to them. */
  readonly #lost = new Set<number>();
  #framesWithData = 0;
  /** The frame of all. */
  readonly #frame: FrameDraft | undefined;

  constructor(rank: number, { chunkBytes, windowBytes, reusesObjects }: OutgoingLimits) {
    this.#rank = rank;
    this.#frame = reusesObjects === true ? this.#newFrame() : undefined;
    this.#chunkBytes = chunkBytes;
    this.#windowBytes = windowBytes;
  }

  /** Peers for which something waits. */
  get busyCount(): number {
    return [...this.#busy].filter((peer) => !peer.isIdle).length;
  }

  /** Bytes of data on their way. */
  get inFlightBytes(): number {
    let bytes = 0;
    for (const peer of this.#peers.values()) bytes += peer.inFlightBytes;
    return bytes;
  }

  /** The oldest request with a chunk that may leave: one in OLDEST_EVERY frames is its. */
  oldestSendable(hasRoom: HasRoom): EngineRequest | undefined {
    let found: EngineRequest | undefined;
    for (const peer of this.#busy) {
      if (!this.#hasWindow(peer) || !hasRoom(peer.rank)) continue;
      const oldest = peer.sends.oldest!;
      if (found === undefined || oldest.order < found.order) found = oldest;
    }
    return found;
  }

  #peer(rank: number): Peer {
    const known = this.#peers.get(rank);
    if (known !== undefined) return known;
    const peer = new Peer(rank);
    this.#peers.set(rank, peer);
    return peer;
  }

  /** Queues a word, which goes before all data. */
  tell(rank: number, part: Part): void {
    if (this.#lost.has(rank)) return;
    const peer = this.#peer(rank);
    peer.words.push(part);
    this.#busy.add(peer);
  }

  /** Queues a chunk. */
  queueSend(request: EngineRequest, op: number): void {
    const peer = this.#peer(request.group.members[request.program.peers[op]!]!);
    peer.sends.push(request, op);
    this.#busy.add(peer);
  }

  /** Drops all chunks of a request. */
  drop(request: EngineRequest): void {
    for (const peer of this.#busy) peer.sends.remove(request);
  }

  /** Takes a frame's bytes as arrived: there is room for others. */
  landed(frame: Frame): void {
    if (this.#lost.has(frame.to)) return;
    this.#peer(frame.to).inFlightBytes -= frame.dataBytes;
  }

  /** Forgets a rank that is gone. Nobody will say that what was on its way has arrived. */
  lose(rank: number): void {
    this.#lost.add(rank);
    const peer = this.#peers.get(rank);
    if (peer === undefined) return;
    this.#peers.delete(rank);
    this.#busy.delete(peer);
  }

  /** The frame that should leave next; undefined if there is none that may. */
  next(nowMs: number, hasRoom: HasRoom): Frame | undefined {
    let speaker: Peer | undefined;
    let sender: Peer | undefined;
    const oldest = (this.#framesWithData + 1) % OLDEST_EVERY === 0;
    for (const peer of this.#busy) {
      if (peer.isIdle) this.#busy.delete(peer);
      if (peer.isIdle || !hasRoom(peer.rank)) continue;
      if (peer.words.length > 0) speaker = peer;
      if (!this.#hasWindow(peer)) continue;
      if (sender === undefined || peer.isBefore(sender, oldest)) sender = peer;
    }
    const peer = speaker ?? sender;
    if (peer === undefined) return undefined;
    const frame = this.#frame ?? this.#newFrame();
    const { parts } = frame;
    parts.length = 0;
    for (const word of peer.words) parts.push(word);
    peer.words.length = 0;
    // Words take no data along whose turn it is not.
    frame.dataBytes = peer === sender ? this.#load(parts, peer, oldest, nowMs) : 0;
    if (peer.isIdle) this.#busy.delete(peer);
    const headers = FRAME_HEADER_BYTES + parts.length * PART_HEADER_BYTES;
    frame.to = peer.rank;
    frame.byteLength = headers + frame.dataBytes;
    return frame;
  }

  #newFrame(): FrameDraft {
    return { from: this.#rank, to: -1, parts: [], byteLength: 0, dataBytes: 0 };
  }

  /** Whether data may leave for a peer now, and there is any. */
  #hasWindow(peer: Peer): boolean {
    return !peer.sends.isEmpty && peer.inFlightBytes < this.#windowBytes;
  }

  /** Fills a frame: the one that is due, and what else fits. @returns bytes of data */
  #load(parts: Part[], peer: Peer, oldest: boolean, nowMs: number): number {
    const { sends } = peer;
    let bytes = 0;
    for (let request = oldest ? sends.oldest : sends.first; request; request = sends.first) {
      const part = request.partOf(sends.peek(request));
      if (bytes > 0 && bytes + part.byteLength > this.#chunkBytes) break;
      sends.take(request);
      request.moved(nowMs);
      parts.push(part);
      bytes += part.byteLength;
    }
    this.#framesWithData++;
    peer.inFlightBytes += bytes;
    return bytes;
  }
}
