/** Cuts schedules into programs. */

import type { Region, TransportSchedule, TransportStep } from "../schedules/transport/steps.js";
import { DependencyFinder, type Pieces } from "./dependencies.js";
import {
  BUFFERS,
  OP_AFTER,
  OP_BEFORE,
  OP_COPY,
  OP_RECEIVE,
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

/** What a step does, with the regions it reads and writes. */
interface Move {
  readonly kind: number;
  readonly peer: number;
  readonly reads: Region | undefined;
  readonly writes: Region | undefined;
}

function moveOf(step: TransportStep): Move {
  if (step.kind === "send") {
    return { kind: OP_SEND, peer: step.to, reads: step.region, writes: undefined };
  }
  if (step.kind === "copy") return { kind: OP_COPY, peer: -1, reads: step.from, writes: step.to };
  const kinds = { before: OP_BEFORE, after: OP_AFTER };
  const kind = step.combine === undefined ? OP_RECEIVE : kinds[step.combine];
  return { kind, peer: step.from, reads: undefined, writes: step.region };
}

/** The program of one rank. */
export function compile(schedule: TransportSchedule, cut: Cut): Program {
  const chunkCount = Math.max(1, Math.floor(cut.chunkBytes / cut.elementBytes));
  const finder = new DependencyFinder(chunkCount, cut.sendInRecv);
  const moves = schedule.steps.map(moveOf).filter((move) => !finder.isNothing(move));
  const pieces: Pieces[] = [];
  let total = 0;
  for (const { reads, writes } of moves) {
    const count = Math.ceil((writes ?? reads)!.count / chunkCount);
    pieces.push({ first: total, count, reads, writes });
    total += count;
  }
  const links = finder.find(pieces, total);
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
  return { ...program, receives: number(program) };
}

/** Writes the operations of one step. */
function fill(program: Omit<Program, "receives">, move: Move, { first, count }: Pieces): void {
  const { chunkCount } = program;
  const target = (move.writes ?? move.reads)!;
  for (let i = 0; i < count; i++) {
    const op = first + i;
    program.kinds[op] = move.kind;
    program.peers[op] = move.peer;
    program.buffers[op] = BUFFERS.indexOf(target.buffer);
    program.offsets[op] = target.offset + i * chunkCount;
    program.counts[op] = Math.min(chunkCount, target.count - i * chunkCount);
    if (move.kind === OP_COPY) {
      program.fromBuffers[op] = BUFFERS.indexOf(move.reads!.buffer);
      program.fromOffsets[op] = move.reads!.offset + i * chunkCount;
    }
  }
}

/** Numbers the messages to and from each peer; those from a peer are listed. */
function number({ kinds, peers, ordinals }: Omit<Program, "receives">): Map<number, Int32Array> {
  const sent = new Map<number, number>();
  const received = new Map<number, number[]>();
  for (let op = 0; op < kinds.length; op++) {
    const peer = peers[op]!;
    if (kinds[op] === OP_COPY) continue;
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
