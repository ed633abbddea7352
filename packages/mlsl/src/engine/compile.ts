/** Cuts schedules into programs. */

import type { Region, TransportSchedule, TransportStep } from "../schedules/transport/steps.js";
import { DependencyFinder, type Pieces } from "./dependencies.js";
import {
  BUFFERS,
  OP_AFTER,
  OP_BEFORE,
  OP_COPY,
  OP_HOLD,
  OP_RECEIVE,
  OP_REDUCE,
  OP_SEND,
  type Program,
} from "./program.js";

/** How a schedule is cut. */
export interface Cut {
  /** Bytes of an element. */
  readonly elementBytes: number;
  /** The most bytes of a chunk; at least one element is taken. The same on all ranks. */
  readonly chunkBytes: number;
  /**
   * In place: element i of "send" is element i + this of "recv". @default they lie apart
   */
  readonly sendInRecv?: number;
}

/**
 * What ranks that read each other's memory can do besides: wait until all peers have offered their
 * contributions to a region, then combine them all in one pass. A reduction takes what was held since
 * the one before it, of as many elements each as its region has.
 */
export type SharedStep =
  | TransportStep
  | { readonly kind: "hold"; readonly from: number; readonly count: number }
  | { readonly kind: "reduce"; readonly own: Region; readonly to: Region };

/** A schedule that may hold such steps. */
export interface SharedSchedule {
  /** Elements of scratch. */
  readonly scratchCount: number;
  readonly steps: readonly SharedStep[];
}

/** What a step does, with the regions it reads and writes. */
interface Move {
  readonly kind: number;
  readonly peer: number;
  readonly reads: Region | undefined;
  readonly writes: Region | undefined;
  readonly count: number;
}

function moveOf(step: SharedStep): Move {
  const move = partsOf(step);
  return {
    ...move,
    count: (move.writes ?? move.reads)?.count ?? (step as { count: number }).count,
  };
}

function partsOf(step: SharedStep): Omit<Move, "count"> {
  if (step.kind === "hold") {
    return { kind: OP_HOLD, peer: step.from, reads: undefined, writes: undefined };
  }
  if (step.kind === "reduce")
    return { kind: OP_REDUCE, peer: -1, reads: step.own, writes: step.to };
  if (step.kind === "send") {
    return { kind: OP_SEND, peer: step.to, reads: step.region, writes: undefined };
  }
  if (step.kind === "copy") return { kind: OP_COPY, peer: -1, reads: step.from, writes: step.to };
  const kinds = { before: OP_BEFORE, after: OP_AFTER };
  const kind = step.combine === undefined ? OP_RECEIVE : kinds[step.combine];
  return { kind, peer: step.from, reads: undefined, writes: step.region };
}

/** The program of one rank. */
export function compile(schedule: TransportSchedule | SharedSchedule, cut: Cut): Program {
  const chunkCount = Math.max(1, Math.floor(cut.chunkBytes / cut.elementBytes));
  const finder = new DependencyFinder(chunkCount, cut.sendInRecv);
  const moves = schedule.steps
    .map(moveOf)
    .filter((move) => move.kind !== OP_COPY || !finder.isNothing(move));
  const pieces: Pieces[] = [];
  let total = 0;
  for (const { reads, writes, count: elements } of moves) {
    const count = Math.ceil(elements / chunkCount);
    pieces.push({ first: total, count, reads, writes });
    total += count;
  }
  const held = holdsOf(moves, pieces);
  const pairs = [...held].flatMap(([op, holds]) => holds.flatMap((hold) => [hold, op]));
  const links = finder.find(pieces, total, pairs);
  const program = {
    chunkCount,
    elementBytes: cut.elementBytes,
    scratchCount: schedule.scratchCount,
    kinds: new Uint8Array(total),
    peers: new Int32Array(total).fill(-1),
    buffers: new Uint8Array(total),
    offsets: new Float64Array(total),
    counts: new Float64Array(total),
    fromBuffers: new Uint8Array(total),
    fromOffsets: new Float64Array(total),
    ordinals: new Int32Array(total),
    ...links,
  };
  moves.forEach((move, i) => {
    fill(program, move, pieces[i]!);
  });
  return { ...program, held, receives: number(program) };
}

/** What each chunk of a reduction combines: those of all that was held before it. */
function holdsOf(moves: readonly Move[], pieces: readonly Pieces[]): Map<number, number[]> {
  const held = new Map<number, number[]>();
  let open: Pieces[] = [];
  moves.forEach(({ kind }, i) => {
    const { first, count } = pieces[i]!;
    if (kind === OP_HOLD) open.push(pieces[i]!);
    if (kind !== OP_REDUCE) return;
    for (let chunk = 0; chunk < count; chunk++) {
      held.set(
        first + chunk,
        open.map((hold) => hold.first + chunk),
      );
    }
    open = [];
  });
  return held;
}

/** What is known before operations are numbered. */
type Parts = Omit<Program, "receives" | "held">;

/** Writes the operations of one step. */
function fill(program: Parts, move: Move, { first, count }: Pieces): void {
  const { chunkCount } = program;
  const target = move.writes ?? move.reads;
  for (let i = 0; i < count; i++) {
    const op = first + i;
    program.kinds[op] = move.kind;
    program.peers[op] = move.peer;
    program.counts[op] = Math.min(chunkCount, move.count - i * chunkCount);
    if (target === undefined) continue;
    program.buffers[op] = BUFFERS.indexOf(target.buffer);
    program.offsets[op] = target.offset + i * chunkCount;
    if (move.kind === OP_COPY || move.kind === OP_REDUCE) {
      program.fromBuffers[op] = BUFFERS.indexOf(move.reads!.buffer);
      program.fromOffsets[op] = move.reads!.offset + i * chunkCount;
    }
  }
}

/** Numbers the messages to and from each peer; those from a peer are listed. */
function number({ kinds, peers, ordinals }: Parts): Map<number, Int32Array> {
  const sent = new Map<number, number>();
  const received = new Map<number, number[]>();
  for (let op = 0; op < kinds.length; op++) {
    const peer = peers[op]!;
    if (kinds[op] === OP_COPY || kinds[op] === OP_REDUCE) continue;
    if (kinds[op] === OP_SEND) {
      const ordinal = sent.get(peer) ?? 0;
      ordinals[op] = ordinal;
      sent.set(peer, ordinal + 1);
      continue;
    }
    const ops = received.get(peer) ?? [];
    ops.push(op);
    received.set(peer, ops);
  }
  return new Map([...received].map(([peer, ops]) => [peer, Int32Array.from(ops)]));
}
