/** Turns what engines say to each other into records and back. */

import type { Failure } from "../engine/failure.js";
import type { DataPart, HelloPart, Match, Part } from "../engine/frames.js";
import type { EngineRequest } from "../engine/request.js";
import { type NoteWriter, readNote } from "./notes.js";
import type { PeerLink } from "./peerLink.js";
import { type RecordMemory, WIRE } from "./records.js";

/** A chunk that has arrived, where its sender has it. */
export interface ArrivedPart extends DataPart {
  readonly from: number;
  readonly address: number;
  /** The sender's number of it. */
  readonly number: number;
}

/** A fingerprint as records carry it. */
export interface WireFingerprint {
  readonly words: readonly [number, number, number, number];
  /** Where the words behind the hash stand in the sender's memory. */
  readonly details: { readonly address: number; readonly byteLength: number };
}

/** What the translation needs to know of this worker. */
export interface WireContext {
  readonly memory: RecordMemory;
  readonly notes: NoteWriter;
  /** The fingerprint of a request of this rank. */
  fingerprintOf(group: number, match: Match): WireFingerprint;
  /** Numbers a chunk that leaves, until its receiver has read it. */
  numberOf(part: DataPart): number;
  /** Where a chunk lies. */
  addressOf(part: DataPart): number;
  /** This rank's request of a match. */
  requestOf(group: number, match: Match): EngineRequest | undefined;
  /** Adds the words behind hashes to what a failure says. */
  explain(failure: Failure): Failure;
  /** Takes note of the words behind a hash. */
  learnDetails(hash: number, text: string): void;
}

/** Fingerprints as engines compare them. */
export function fingerprintKey(words: readonly number[]): string {
  return words.join(".");
}

/** Says something to a peer. Matches are numbers here. */
export function sendPart(context: WireContext, link: PeerLink, part: Part): void {
  const { words, numbers } = link.draft;
  numbers[1] = part.group;
  if (part.kind !== "abort") numbers[2] = part.match as number;
  if (part.kind === "hello") {
    const { words: print, details } = context.fingerprintOf(part.group, part.match);
    words[0] = WIRE.hello;
    words[1] = part.round;
    for (let i = 0; i < 4; i++) words[6 + i] = print[i]!;
    words[10] = details.address;
    words[11] = details.byteLength;
  } else if (part.kind === "data") {
    words[0] = WIRE.data;
    words[1] = part.ordinal;
    words[6] = context.addressOf(part);
    words[7] = context.numberOf(part);
    numbers[4] = part.byteLength;
  } else if (part.kind === "abort") {
    const note = context.notes.write(context.explain(part.failure));
    words[0] = WIRE.abort;
    words[6] = note.address;
    words[7] = note.number;
  } else {
    words[0] = WIRE.ready;
  }
  link.push();
}

/** Tells a peer that a chunk of it has been read. */
export function sendRead(link: PeerLink, number: number): void {
  link.draft.words[0] = WIRE.sent;
  link.draft.words[1] = number;
  link.push();
}

function unsigned(word: number): number {
  return word >>> 0; // bits: addresses and hashes are unsigned
}

function helloOf(context: WireContext, word: number): HelloPart {
  const { words, numbers } = context.memory;
  const print = [6, 7, 8, 9].map((i) => unsigned(words[word + i]!));
  const byteLength = words[word + 11]!;
  if (byteLength > 0) {
    const address = unsigned(words[word + 10]!);
    // A decoder refuses shared memory, so the bytes are copied.
    const bytes = new Uint8Array(words.buffer, address, byteLength).slice();
    context.learnDetails(print[3]!, new TextDecoder().decode(bytes));
  }
  return {
    kind: "hello",
    group: numbers[word / 2 + 1]!,
    match: numbers[word / 2 + 2]!,
    round: words[word + 1]!,
    fingerprint: fingerprintKey(print),
  };
}

/**
 * What a record says.
 *
 * @param word index of its first word
 * @returns undefined for data of a request that this rank does not have
 */
export function partOf(context: WireContext, word: number, from: number): Part | undefined {
  const { words, numbers } = context.memory;
  const group = numbers[word / 2 + 1]!;
  const match = numbers[word / 2 + 2]!;
  const kind = words[word]!;
  if (kind === WIRE.hello) return helloOf(context, word);
  if (kind === WIRE.data) {
    // Of the receiver: it only stands for the sender's, which means nothing here.
    const request = context.requestOf(group, match);
    if (request === undefined) return undefined;
    const part: ArrivedPart = {
      kind: "data",
      group,
      match,
      ordinal: words[word + 1]!,
      byteLength: numbers[word / 2 + 4]!,
      request,
      op: -1,
      from,
      address: unsigned(words[word + 6]!),
      number: words[word + 7]!,
    };
    return part;
  }
  if (kind === WIRE.abort) {
    const place = { address: unsigned(words[word + 6]!), number: words[word + 7]! };
    const unknown: Failure = { kind: "badMessage", rank: from, reason: "a failure of its own" };
    const failure = (readNote(words, place) as Failure | undefined) ?? unknown;
    return { kind: "abort", group, failure };
  }
  return { kind: "ready", group, match };
}
