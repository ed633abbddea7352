/** Turns what engines say to each other into records and back. */

import type { Failure } from "../engine/failure.js";
import type { DataPart, HelloPart, Match, Part } from "../engine/frames.js";
import type { EngineRequest } from "../engine/request.js";
import { type NoteWriter, readNote } from "./notes.js";
import type { PeerLink } from "./peerLink.js";
import { type RecordMemory, WIRE } from "./records.js";

/** Texts of fingerprints that are kept: plans of a large model. */
const MAX_TEXTS = 4096;

/** A chunk that has arrived, where its sender has it. When it was read, the object serves another. */
export class ArrivedPart implements DataPart {
  readonly kind = "data";
  group = -1;
  match: Match = -1;
  ordinal = -1;
  byteLength = 0;
  /** Of the receiver: it only stands for the sender's, which means nothing here. */
  request: EngineRequest;
  readonly op = -1;
  from = -1;
  address = 0;
  /** The sender's number of it, and what tells it from others of that number. */
  number = -1;
  stamp = -1;

  constructor(request: EngineRequest) {
    this.request = request;
  }
}

/** What was heard last, and objects for what will be heard. */
export class HeardParts {
  readonly #free: ArrivedPart[] = [];
  /** The word that was heard last. */
  readonly hello: { -readonly [K in keyof HelloPart]: HelloPart[K] } = {
    ...{ kind: "hello", group: -1, match: -1, round: -1, fingerprint: "" },
  };
  /** Fingerprints as texts, by the sum of their words: mostly the same come again. */
  readonly #texts = new Map<number, { readonly words: readonly number[]; readonly text: string }>();

  /** An object for a chunk. */
  take(request: EngineRequest): ArrivedPart {
    const part = this.#free.pop() ?? new ArrivedPart(request);
    part.request = request;
    return part;
  }

  /** Gives an object back whose chunk was read. */
  release(part: ArrivedPart): void {
    this.#free.push(part);
  }

  /** The text of a fingerprint whose four words begin at an index. */
  fingerprint(words: Int32Array, first: number): string {
    const sum = (words[first]! + words[first + 1]! + words[first + 2]! + words[first + 3]!) | 0; // bits: a hash
    const known = this.#texts.get(sum);
    if (known?.words.every((word, i) => word === words[first + i]) === true) return known.text;
    const print = Array.from(words.subarray(first, first + 4));
    const text = fingerprintKey(print.map(unsigned));
    if (this.#texts.size >= MAX_TEXTS) this.#texts.clear();
    this.#texts.set(sum, { words: print, text });
    return text;
  }
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
  readonly heard: HeardParts;
  /** The fingerprint of a request of this rank. */
  fingerprintOf(request: EngineRequest): WireFingerprint;
  /** Numbers a chunk that leaves, until its receiver has read it. */
  numberOf(part: DataPart): number;
  /** Tells the chunks of a number apart. */
  stampOf(number: number): number;
  /** Where a chunk lies. */
  addressOf(part: DataPart): number;
  /** This rank's request of a match. */
  requestOf(group: number, match: Match): EngineRequest | undefined;
  /** Adds the words behind hashes to what a failure says. */
  explain(failure: Failure): Failure;
  /** Whether the words behind a hash are known, or are not wanted. */
  knowsDetails(hash: number): boolean;
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
    const { words: print, details } = context.fingerprintOf(part.request!);
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
    words[10] = context.stampOf(words[7]);
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
export function sendRead(
  link: PeerLink,
  { number, stamp }: Pick<ArrivedPart, "number" | "stamp">,
): void {
  link.draft.words[0] = WIRE.sent;
  link.draft.words[1] = number;
  link.draft.words[2] = stamp;
  link.push();
}

function unsigned(word: number): number {
  return word >>> 0; // bits: addresses and hashes are unsigned
}

function helloOf(context: WireContext, word: number): HelloPart {
  const { words, numbers } = context.memory;
  const byteLength = words[word + 11]!;
  const hash = unsigned(words[word + 9]!);
  if (byteLength > 0 && !context.knowsDetails(hash)) {
    const address = unsigned(words[word + 10]!);
    // A decoder refuses shared memory, so the bytes are copied.
    const bytes = new Uint8Array(words.buffer, address, byteLength).slice();
    context.learnDetails(hash, new TextDecoder().decode(bytes));
  }
  const { hello } = context.heard;
  hello.group = numbers[word / 2 + 1]!;
  hello.match = numbers[word / 2 + 2]!;
  hello.round = words[word + 1]!;
  hello.fingerprint = context.heard.fingerprint(words, word + 6);
  return hello;
}

/**
 * What a record says; a word until the next is asked for.
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
    const request = context.requestOf(group, match);
    if (request === undefined) return undefined;
    const part = context.heard.take(request);
    part.group = group;
    part.match = match;
    part.ordinal = words[word + 1]!;
    part.byteLength = numbers[word / 2 + 4]!;
    part.from = from;
    part.address = unsigned(words[word + 6]!);
    part.number = words[word + 7]!;
    part.stamp = words[word + 10]!;
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
