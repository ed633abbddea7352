/**
 * Cuts operations on long vectors into pieces that pass through a rank's arena one after the other, so
 * that buffers outside the segment may be larger than it. All ranks cut alike, wherever their buffers lie.
 */

import type { Segment } from "../../memory/segment.js";
import type { GroupShape } from "../arguments/checks.js";
import { type Prepared, prepare } from "../execution/prepared.js";
import type { Operation } from "../operations/operation.js";
import type { Channel, Entry } from "../requests/channel.js";
import { isSettled } from "../requests/channel.js";
import type { WorkerEntry } from "./workerChannel.js";

/**
 * A piece takes so much of an arena: two fit beside the buffers of a program that uses half of it, so
 * that one can be copied while the other is under way.
 */
const ARENA_SHARE = 4;

/** Collectives in which element i of a buffer has to do with element i of the others only. */
const OF_VECTORS: ReadonlySet<string> = new Set(["allreduce", "reduce", "broadcast"]);

/** The prepared pieces of an operation; mostly it is one. */
export function piecesOf(whole: Prepared, segment: Segment, shape: GroupShape): Prepared[] {
  const { operation, print } = whole;
  const { kind, count, type } = operation;
  const pieceCount = Math.floor(segment.arenaBytes / ARENA_SHARE / (type?.byteLength ?? 1));
  if (!OF_VECTORS.has(kind) || count <= pieceCount) return [whole];
  const pieces: Prepared[] = [];
  for (let first = 0; first < count; first += pieceCount) {
    const piece = pieceOf(operation, first, Math.min(pieceCount, count - first));
    // Ranks agree on the whole, which errors name.
    pieces.push({ ...prepare(piece, segment, shape), print });
  }
  return pieces;
}

function pieceOf(operation: Operation, first: number, count: number): Operation {
  const send = operation.send?.subarray(first, first + count);
  // Of a broadcast both are one array.
  const recv =
    operation.recv === operation.send ? send : operation.recv?.subarray(first, first + count);
  return { ...operation, count, send, recv };
}

/** Pieces that settle together. */
export class PiecesEntry implements Entry {
  readonly channel: Channel;
  readonly timeoutMs: number;
  readonly reads: Entry["reads"];
  readonly writes: Entry["writes"];
  readonly parts: readonly WorkerEntry[];
  exposedMs = 0;

  /** @param whole what callers know of it */
  constructor(parts: readonly WorkerEntry[], whole: Pick<Entry, "reads" | "writes">) {
    const [{ channel, timeoutMs }] = parts as [WorkerEntry];
    this.channel = channel;
    this.timeoutMs = timeoutMs;
    this.reads = whole.reads;
    this.writes = whole.writes;
    this.parts = parts;
  }

  get state(): Entry["state"] {
    if (!this.parts.every(isSettled)) return "running";
    return this.parts.some(({ state }) => state === "failed") ? "failed" : "done";
  }

  get failure(): Error | undefined {
    return this.parts.find(({ failure }) => failure !== undefined)?.failure;
  }
}

/** The entries that an entry of a worker channel stands for. */
export function partsOf(entry: Entry): readonly WorkerEntry[] {
  // Entries of such a channel are of one of the two sorts.
  return entry instanceof PiecesEntry ? entry.parts : [entry as WorkerEntry];
}
